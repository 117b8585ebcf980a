import 'server-only'
import { upperCase } from '#lib/platform/db/any-case.ts'
import { branches, ofBranch } from '#lib/transactions/branches.ts'
import { parameters, rowCondition } from '#lib/transactions/row-condition.ts'
import {
  conditions,
  type NewestSubjects,
  type PositionRow,
  type SubjectPage,
  toPosition,
} from './newest-subjects.ts'
import { isOnChain, type TypedAmount } from './rules/read-amount.ts'
import { daySpan } from './rules/read-day.ts'
import { searchQuery } from './search-query.ts'

/** A transaction that moved on a day began at most so long before it. Milliseconds. */
const longestCourse = 100 * 24 * 60 * 60_000

/**
 * Everybody's transactions of exactly this amount, newest first: of fiat money, of coins, or refunded, each by an index. With a
 * day those that began or moved on it, wherever on earth it was that day.
 */
export async function newestOfAmount(
  { digits, currency, day }: TypedAmount,
  page: SubjectPage,
): Promise<NewestSubjects> {
  const values: unknown[] = [digits, page.limit]
  const given = parameters(values)
  const span = day && daySpan(day, Date.now())
  const at = (ms: number) => `${given(new Date(ms))}::timestamptz`
  const onDay = span
    ? `started_at < ${at(span.to)} AND last_move_at >= ${at(span.from)} AND started_at >= ${at(span.from - longestCourse)}`
    : 'true'
  const within = [conditions(page, given), rowCondition(page.filters, given, page.stuck), onDay].join(' AND ')
  const inCurrency = (column: string) =>
    currency === null ? 'true' : `${upperCase(column)} = ${given(currency)}`
  const first = 'ORDER BY started_at DESC FETCH FIRST $2 ROWS WITH TIES'
  const columns = 'SELECT started_at, subject_id FROM transaction WHERE'
  const branch = `${ofBranch} AND COALESCE(amount_fiat, '-Infinity'::numeric) = amount.digits`
  const way = (from: string, where: string) =>
    `(SELECT listed.* FROM ${from}unnest($1::numeric[]) AS amount (digits), LATERAL (
       ${columns} ${where} AND ${within} ${first}) AS listed)`
  const ways = [
    ...(currency === null || !isOnChain(currency)
      ? [way('found AS branch, ', `${branch} AND ${inCurrency('currency_fiat')}`)]
      : []),
    ...(currency === null || isOnChain(currency)
      ? [way('', `amount_crypto = amount.digits AND ${inCurrency('currency_crypto')}`)]
      : []),
    way('', 'amount_refunded = amount.digits'),
  ]
  const rows = await searchQuery<PositionRow>(
    `WITH RECURSIVE ${branches}
     SELECT DISTINCT started_at, subject_id FROM (${ways.join(' UNION ALL ')}) AS way
     ORDER BY started_at DESC, subject_id DESC LIMIT $2`,
    values,
  )
  return { positions: rows.map(toPosition), cut: false, lookedTo: null, total: null }
}
