import 'server-only'
import type pg from 'pg'

/** If this process freezes, the server ends the transaction and releases its locks, through a pooler too. */
const BEGIN = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '60s'`

declare const open: unique symbol

/** A connection with an open transaction. Only `inTransaction` makes one: a pool, or a client without one, is not taken. */
export type Transaction = pg.PoolClient & { readonly [open]: true }

/** Commits everything that `work` writes, or nothing. */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query(BEGIN)
    const done = await work(client as Transaction)
    await client.query('COMMIT')
    return done
  } catch (error) {
    await client.query('ROLLBACK').catch((failed: Error) => {
      broken = failed
    })
    throw error
  } finally {
    client.release(broken)
  }
}
