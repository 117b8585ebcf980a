import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import type { Total } from './transaction-row.ts'

/** Up to here we count; beyond, the planner's estimate does, which costs the same at any size. */
const exactUpTo = 1_000

/** All that match; `ordered` is an order by whose index they are counted. */
export interface Matching {
  readonly sql: string
  readonly ordered: string
  readonly values: unknown[]
}

export async function countMatching(matching: Matching): Promise<Total> {
  const counted = await countSome(matching)
  if (counted.exact) return counted
  return { count: Math.max(roughly(await estimate(matching)), exactUpTo), exact: false }
}

/** Where no estimate would hold: not exact means more than these 1,000. */
export async function countSome(matching: Matching): Promise<Total> {
  const { sql, values } = countQuery(matching)
  const { rows } = await pool().query<{ count: bigint }>(sql, values)
  const counted = Number(rows[0]?.count ?? 0)
  return { count: Math.min(counted, exactUpTo), exact: counted <= exactUpTo }
}

/** Stops one row beyond what is counted exactly. */
const countQuery = ({ sql, ordered, values }: Matching) => ({
  sql: `SELECT count(*) FROM (${sql} ${ordered} LIMIT ${exactUpTo + 1}) AS counted`,
  values,
})

async function estimate({ sql, values }: Matching): Promise<number> {
  const { rows } = await pool().query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (FORMAT JSON) ${sql}`, values)
  return Plan.parse(rows[0]?.['QUERY PLAN'])[0].Plan['Plan Rows']
}

/** To two digits: it knows no more. */
const roughly = (count: number) => Number(count.toPrecision(2))

const Plan = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })])
