import 'server-only'
import pg from 'pg'

/**
 * `isOfNoUse` is true when the database answers as no healthy primary does: read-only, no rights on our tables, out of
 * resources, in recovery or shutting down. The same connection would go on to answer so, even when the database is healthy
 * again.
 */
export const isOfNoUse = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (/^(25006|28|3D|42501|53|57P|58)/.test(error.code ?? '') || isOfPooler(error))

/** `isAway` is true when the server cannot be reached, starts or stops, or a pooler says so. Waiting may help. */
export const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error.cause !== undefined && isAway(error.cause)) return true
  if (error instanceof pg.DatabaseError) return /^(08|57P0[123])/.test(error.code ?? '') || isOfPooler(error)
  const code = 'code' in error ? String(error.code) : ''
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|EHOSTUNREACH|ETIMEDOUT)$/.test(code) ||
    /^Connection terminated|^timeout expired$/.test(error.message)
  )
}

/**
 * `mayPass` is true when the same statement may succeed on another connection or soon: a lock or a cancellation stopped it.
 */
export const mayPass = (error: unknown): boolean =>
  isOfNoUse(error) || (error instanceof pg.DatabaseError && /^(40|55P03|57014)/.test(error.code ?? ''))

/** `leadsElsewhere` is true when the server is read-only or shutting down. This affects all connections made before. */
export const leadsElsewhere = (error: unknown) =>
  error instanceof pg.DatabaseError && /^(25006|57P)/.test(error.code ?? '')

/**
 * `isOfPooler` is true for an error of a pooler, which knows no rows: many poolers call every error "internal error".
 * PostgreSQL itself names its source file.
 */
export const isOfPooler = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(XX|$)/.test(error.code ?? '') && error.file === undefined

/**
 * `isOfRow` is true when a row caused the error: cardinality, data, integrity, a view's check, a limit, a trigger or an
 * internal error.
 */
export const isOfRow = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(2[123]|44|54|P0|XX)/.test(error.code ?? '') && !isOfPooler(error)
