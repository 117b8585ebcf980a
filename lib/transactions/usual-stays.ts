import 'server-only'
import { keepFor } from '#lib/platform/db/keep-for.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'
import type { StuckRule } from './row-condition.ts'
import { isStuck, toUsualStays, type UsualStay, type UsualStays } from './rules/is-stuck.ts'
import type { TransactionMatch } from './rules/transaction-filters.ts'

/** Milliseconds for which a process keeps what it has read: it is learnt anew once an hour. */
const keptMs = 60_000

const kept = keepFor(keptMs, async () => toUsualStays((await pool().query<UsualStay>(READ, [])).rows))

/** How long transactions usually stay at each step, as `learnUsualStays` has learnt it. */
export const readUsualStays = (): Promise<UsualStays> => kept.read()

/** Answers whether a transaction is late, for staff and customers alike. */
export type StuckCheck = (row: TransactionRow) => boolean

/** The check as of now. */
export async function readStuckCheck(): Promise<StuckCheck> {
  const usual = await readUsualStays()
  const now = Date.now()
  return (row) => {
    const { direction, step, currency_fiat: currencyFiat, chain } = row
    return isStuck({ direction, step, currencyFiat, chain }, standsSince(row).getTime(), now, usual)
  }
}

/** What is stuck now, where that is asked for. */
export const readStuckRule = async ({ flags = [] }: TransactionMatch): Promise<StuckRule | null> =>
  flags.includes('stuck') ? { now: Date.now(), usual: await readUsualStays() } : null

/** The next call reads it again. */
export const forgetUsualStays = (): void => kept.forget()

const READ = `
  SELECT direction, step, NULLIF(currency_fiat, '*') AS "currencyFiat", NULLIF(chain, '*') AS chain,
         longest_ms::float8 AS ms
  FROM usual_stay`
