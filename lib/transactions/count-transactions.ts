import 'server-only'
import { z } from 'zod'
import { pool } from '#lib/db/pool.ts'
import type { Total } from './transaction-row.ts'

/** Up to here we count; beyond, the planner's estimate does, which costs the same at any size. */
const exactUpTo = 1_000

export async function countTransactions(where: string, values: readonly unknown[]): Promise<Total> {
  const { rows } = await pool().query<{ count: bigint }>(
    `SELECT count(*) FROM (SELECT FROM transaction WHERE ${where} LIMIT ${exactUpTo + 1}) AS counted`,
    [...values],
  )
  const counted = Number(rows[0]?.count ?? 0)
  if (counted <= exactUpTo) return { count: counted, exact: true }
  const explained = await pool().query<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (FORMAT JSON) SELECT FROM transaction WHERE ${where}`,
    [...values],
  )
  const [plan] = Plan.parse(explained.rows[0]?.['QUERY PLAN'])
  return { count: Math.max(plan.Plan['Plan Rows'], counted), exact: false }
}

const Plan = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })])
