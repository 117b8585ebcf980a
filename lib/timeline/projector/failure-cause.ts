import 'server-only'
import pg from 'pg'
import { OutcomeUnknown } from '#lib/platform/db/in-transaction.ts'
import { isOfPooler, isOfRow } from '#lib/platform/db/pool.ts'
import { LeaseLost, TimeLimitReached } from './write-changes.ts'

/**
 * Why folding failed. `machine`: the database or this process is the cause; the whole batch is tried again.
 * `time-limit`: too slow, or the database was silent; half as much is tried again.
 * `others`: another transaction was in the way or the statement was cancelled; the subject is tried again
 * alone. `delivery`: the delivery itself fails every time; it becomes a dead letter.
 */
export type FailureCause = 'machine' | 'time-limit' | 'others' | 'delivery'

/** The cause of `error`. An error without a code comes from our own code, on this delivery. */
export function failureCause(error: unknown): FailureCause {
  if (error instanceof LeaseLost || error instanceof OutcomeUnknown) return 'machine'
  if (error instanceof TimeLimitReached) return 'time-limit'
  if (error instanceof pg.DatabaseError) return causeInDatabase(error)
  // Node's "string too long" error has a code as well.
  if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError)
    return 'delivery'
  if (error.message === 'Query read timeout') return 'time-limit'
  return isSystemError(error) || connectionLost.test(error.message) ? 'machine' : 'delivery'
}

/** By SQLSTATE, mostly by its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function causeInDatabase(error: pg.DatabaseError): FailureCause {
  const { code: state = '' } = error
  // Between two statements of a transaction we took too long ourselves.
  if (state === '25P03') return 'time-limit'
  if (state === '57014' || state === '55P03' || state.startsWith('40') || isOfPooler(error)) return 'others'
  return isOfRow(error) ? 'delivery' : 'machine'
}

/** A system call or TLS failed: those errors have codes of their own, as in `ECONNRESET`. */
const isSystemError = (error: Error) =>
  'code' in error && typeof error.code === 'string' && !error.code.startsWith('ERR_STRING')

/** node-postgres reports these only by message. */
const connectionLost =
  /^(Connection terminated|Client (has encountered|was closed)|timeout ex(ceeded|pired)|SASL|The(re was an error establishing an SSL| server does not support SSL))/
