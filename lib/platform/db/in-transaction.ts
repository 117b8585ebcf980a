import 'server-only'
import pg from 'pg'
import { OperatorError } from '../operator-error.ts'

/** If this process freezes, the server ends the transaction and releases its locks, also through a pooler. */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`

declare const open: unique symbol

/**
 * A `Transaction` is a connection with an open transaction. Only `inTransaction` makes one, so a pool or a plain client does
 * not compile.
 */
export type Transaction = pg.PoolClient & { readonly [open]: true }

/** The connection was lost before the database answered the COMMIT. The changes may be stored or not. */
export class OutcomeUnknown extends OperatorError {
  constructor(cause: unknown) {
    super(
      'The connection to the database was lost while it saved this, which may have taken effect: look before you try again.',
      { cause },
    )
    this.name = 'OutcomeUnknown'
  }
}

/** These errors belong to transactions that were surely not committed: no COMMIT was sent, or the database refused it. */
const neverCommitted = new WeakSet<object>()

/**
 * `mayHaveTakenEffect` is true for a failed call that may be stored all the same: its connection was lost at COMMIT, or
 * during a statement that commits by itself.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  if (error instanceof OutcomeUnknown) return true
  return error instanceof Error && !neverCommitted.has(error) && isLostConnection(error)
}

/**
 * `isLostConnection` is true when a connection was lost during a statement. A connection that was never made did nothing.
 */
function isLostConnection(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  if (/^(08006|08003|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT|P1017)$/.test(code)) return true
  if (/^(Connection terminated( unexpectedly)?|Query read timeout)$/.test(error.message)) return true
  return error.cause instanceof Error && isLostConnection(error.cause)
}

/**
 * `inTransaction` commits everything that `work` writes, or nothing. It throws `OutcomeUnknown` when the answer to COMMIT
 * was lost.
 */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    if (error instanceof Error) neverCommitted.add(error)
    throw error
  })
  let broken: Error | undefined
  try {
    await client.query(BEGIN)
    const done = await work(client as Transaction)
    await commit(client)
    return done
  } catch (error) {
    if (error instanceof Error && !(error instanceof OutcomeUnknown)) neverCommitted.add(error)
    broken = await rollBack(client)
    throw error
  } finally {
    client.release(broken)
  }
}

/** `rollBack` ends a transaction. The result is for the client's `release`: the error of a connection that is of no more use. */
export const rollBack = (client: pg.ClientBase): Promise<Error | undefined> =>
  client.query('ROLLBACK').then(
    () => undefined,
    (failed: Error) => failed,
  )

/** A COMMIT rolls back a transaction with a failed statement, without an error. */
async function commit(client: pg.PoolClient) {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    // A COMMIT that the database refused is not committed. A server that is shutting down may have committed before.
    const refused = error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')
    throw refused ? error : new OutcomeUnknown(error)
  })
  if (command !== 'COMMIT') throw new Error('A statement of this transaction failed, and so all of it')
}
