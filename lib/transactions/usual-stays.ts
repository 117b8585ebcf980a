import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { toUsualStays, type UsualStay, type UsualStays } from '#lib/domain/transaction/is-stuck.ts'
import type { TransactionMatch } from '#lib/domain/transaction/transaction-filters.ts'
import type { StuckRule } from './row-condition.ts'

/** Milliseconds for which a process keeps what it has read: it is learnt anew once an hour. */
const keptMs = 60_000

let kept: { readonly stays: Promise<UsualStays>; readonly until: number } | null = null

/** How long transactions usually stay at each step, as `learnUsualStays` has learnt it. */
export function readUsualStays(): Promise<UsualStays> {
  const now = performance.now()
  if (kept && now < kept.until) return kept.stays
  const stays = read()
  kept = { stays, until: now + keptMs }
  stays.catch(forgetUsualStays)
  return stays
}

/** What is stuck now, where that is asked for. */
export const readStuckRule = async ({ flags = [] }: TransactionMatch): Promise<StuckRule | null> =>
  flags.includes('stuck') ? { now: Date.now(), usual: await readUsualStays() } : null

/** The next call reads it again. */
export function forgetUsualStays(): void {
  kept = null
}

async function read(): Promise<UsualStays> {
  const { rows } = await pool().query<UsualStay>(READ, [])
  return toUsualStays(rows)
}

const READ = `
  SELECT direction, step, NULLIF(currency_fiat, '*') AS "currencyFiat", NULLIF(chain, '*') AS chain,
         longest_ms::float8 AS ms
  FROM usual_stay`
