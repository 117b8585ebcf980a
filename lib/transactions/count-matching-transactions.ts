import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/platform/db/pool.ts'
import { countUpTo, exactUpTo, type SqlQuery, type Total } from '#lib/platform/paging/count-up-to.ts'

export interface MatchingQueries {
  /** Reads those that match, at most so many, by an index. */
  readonly first: (most: number) => SqlQuery
  /** All that match, for the planner's estimate. */
  readonly all: SqlQuery
}

/** Exact up to 1,000; beyond that the planner's estimate, which costs the same at any size. */
export async function countMatchingTransactions({ first, all }: MatchingQueries): Promise<Total> {
  const counted = await countUpTo(first)
  if (counted.exact) return counted
  return { count: Math.max(toTwoDigits(await estimate(all)), exactUpTo), exact: false }
}

async function estimate({ sql, values }: SqlQuery): Promise<number> {
  const { rows } = await pool().query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${sql}`, values)
  return PlanSchema.parse(rows[0]?.['QUERY PLAN'])[0].Plan['Plan Rows']
}

/** Rounds to two digits: the estimate is no better. */
const toTwoDigits = (count: number) => Number(count.toPrecision(2))

const PlanSchema = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })])
