import 'server-only'
import { pool } from '../db/pool.ts'

/** How far lists are counted exactly. */
export const exactUpTo = 1_000

/** Exact up to 1,000; beyond that `count` is 1,000, or a caller's estimate of two digits to be shown as "about". */
export interface Total {
  readonly count: number
  readonly exact: boolean
  /** There are so many, and may be more: not all that there is was gone through. */
  readonly atLeast?: true
}

export interface SqlQuery {
  readonly sql: string
  readonly values: unknown[]
}

/** The total of what was counted no further than one beyond `exactUpTo`. */
export const upTo = (counted: number): Total => ({
  count: Math.min(counted, exactUpTo),
  exact: counted <= exactUpTo,
})

/**
 * Counts what a query finds, and stops one beyond the limit.
 * @param first reads those that match, at most so many, by an index
 */
export async function countUpTo(first: (most: number) => SqlQuery): Promise<Total> {
  const { sql, values } = first(exactUpTo + 1)
  const { rows } = await pool().query<{ count: bigint }>(`SELECT count(*) FROM (${sql}) AS counted`, values)
  return upTo(Number(rows[0]?.count ?? 0))
}
