import 'server-only'
import pg from 'pg'
import { LeaseLost } from './write-changes.ts'

/**
 * Whose fault a failed fold is. `machine`: nothing can be folded now, or by this process; it is tried again as a whole.
 * `others` were in the way, or somebody ended the statement: tried again alone, so that the rest goes on. `delivery`:
 * it fails alone and time after time, so it is set aside.
 */
export type FailureCause = 'machine' | 'others' | 'delivery'

/** Whose fault `error` is. An error without a code is our own program's, which the delivery made fail. */
export function failureCause(error: unknown): FailureCause {
  if (error instanceof LeaseLost) return 'machine'
  if (error instanceof pg.DatabaseError) return causeOfState(error.code ?? '')
  // A string that became too long has a code as well.
  if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError)
    return 'delivery'
  return isSystemError(error) || connectionLost.test(error.message) ? 'machine' : 'delivery'
}

/** By SQLSTATE, mostly by its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function causeOfState(state: string): FailureCause {
  if (state === '57014' || state === '55P03' || state.startsWith('40')) return 'others'
  return dataErrorClasses.has(state.slice(0, 2)) ? 'delivery' : 'machine'
}

/** Cardinality, data, integrity, a view's check, a limit passed, what a trigger raises, an internal error. */
const dataErrorClasses: ReadonlySet<string> = new Set(['21', '22', '23', '44', '54', 'P0', 'XX'])

/** A system call or TLS failed: those errors have codes of their own, as in `ECONNRESET`. */
const isSystemError = (error: Error) =>
  'code' in error && typeof error.code === 'string' && !error.code.startsWith('ERR_STRING')

/** node-postgres says it only in words. */
const connectionLost =
  /^(Connection terminated|Client (has encountered|was closed)|timeout ex(ceeded|pired)|Query read timeout|SASL|The(re was an error establishing an SSL| server does not support SSL))/
