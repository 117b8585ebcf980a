import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import type { Total } from './transaction-view.ts'

/**
 * Counts exactly up to this number; beyond it uses the planner's estimate, which costs the same at any size.
 */
const exactUpTo = 1_000

export interface SqlQuery {
  readonly sql: string
  readonly values: unknown[]
}

export interface MatchingQueries {
  /** Reads those that match, at most so many, by an index. */
  readonly first: (most: number) => SqlQuery
  /** All that match, for the planner's estimate. */
  readonly all: SqlQuery
}

export async function countMatchingTransactions({ first, all }: MatchingQueries): Promise<Total> {
  const counted = await countUpTo(first)
  if (counted.exact) return counted
  return { count: Math.max(toTwoDigits(await estimate(all)), exactUpTo), exact: false }
}

/**
 * For conditions without a good estimate: `exact: false` means more than 1,000. Stops counting one beyond the
 * limit.
 */
export async function countUpTo(first: MatchingQueries['first']): Promise<Total> {
  const { sql, values } = first(exactUpTo + 1)
  const { rows } = await pool().query<{ count: bigint }>(`SELECT count(*) FROM (${sql}) AS counted`, values)
  const counted = Number(rows[0]?.count ?? 0)
  return { count: Math.min(counted, exactUpTo), exact: counted <= exactUpTo }
}

async function estimate({ sql, values }: SqlQuery): Promise<number> {
  const { rows } = await pool().query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${sql}`, values)
  return PlanSchema.parse(rows[0]?.['QUERY PLAN'])[0].Plan['Plan Rows']
}

/** Rounds to two digits: the estimate is no better. */
const toTwoDigits = (count: number) => Number(count.toPrecision(2))

const PlanSchema = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })])
