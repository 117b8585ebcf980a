import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { isOnChain, type TypedAmount } from '#lib/domain/search/read-amount.ts'
import { type DaySpan, daySpan } from '#lib/domain/search/read-day.ts'
import { isFiltered } from '#lib/domain/transaction/transaction-filters.ts'
import type { SqlQuery } from '#lib/paging/count-up-to.ts'
import { branches, ofBranch } from '#lib/transactions/branches.ts'
import { branchCondition, type Given, parameters, rowCondition } from '#lib/transactions/row-condition.ts'
import {
  conditions,
  type NewestSubjects,
  type PositionRow,
  type SubjectPage,
  toPosition,
} from './newest-subjects.ts'

/** A transaction that moved on a day began at most so long before it. Milliseconds. */
const longestCourse = 100 * 24 * 60 * 60_000

/**
 * Transactions of one amount that are held against what no index of amounts holds, of each step and direction: the newest. With
 * more, a rare filter would have all transactions of a common amount read.
 */
const mostSifted = 2_000

/**
 * Everybody's transactions of exactly this amount, newest first: of fiat money, of coins, or refunded, each by an index. With a
 * day those that began or moved on it, wherever on earth it was that day.
 * @param most how many are held against filters, a currency or a day
 */
export async function newestOfAmount(
  amount: TypedAmount,
  page: SubjectPage,
  most = mostSifted,
): Promise<NewestSubjects> {
  const { currency, day } = amount
  const span = day && daySpan(day, Date.now())
  const matching = ofAmount(amount, span, page, (given, newest, way) => {
    const limit = given(page.limit)
    const sieve = [
      rowCondition(page.filters, given, page.stuck),
      ...(span ? [`last_move_at >= ${given(new Date(span.from))}::timestamptz`] : []),
      ...(way.currency === null || currency === null ? [] : [`upper(${way.currency}) = ${given(currency)}`]),
    ]
    return `SELECT * FROM (${newest} LIMIT ${most}) AS newest WHERE ${sieve.join(' AND ')}
      ORDER BY started_at DESC FETCH FIRST ${limit} ROWS WITH TIES`
  })
  const { rows } = await pool().query<PositionRow>(
    `${matching.sql} ORDER BY started_at DESC, subject_id DESC LIMIT $${matching.values.push(page.limit)}`,
    matching.values,
  )
  const isSifted = currency !== null || span !== null || isFiltered(page.filters)
  const isWhole = rows.length >= page.limit || !isSifted
  return { positions: rows.map(toPosition), cut: !isWhole && (await hasBeyond()), total: null }

  async function hasBeyond(): Promise<boolean> {
    const { sql, values } = ofAmount(amount, span, page, (_, newest) => `${newest} OFFSET ${most} LIMIT 1`)
    return (await pool().query(`${sql} LIMIT 1`, values)).rows.length > 0
  }
}

/** One of the indexes that have amounts. */
interface Way {
  readonly from: string
  readonly amount: string
  /** The column of its currency; null where nobody says it. */
  readonly currency: string | null
}

const ofFiat: Way = {
  from: 'branch, ',
  amount: `${ofBranch} AND COALESCE(amount_fiat, '-Infinity'::numeric)`,
  currency: 'currency_fiat',
}
const ofCoins: Way = { from: '', amount: 'amount_crypto', currency: 'currency_crypto' }
const ofRefund: Way = { from: '', amount: 'amount_refunded', currency: null }

/** What `read` takes from the transactions of an amount in each index, `newest` first. */
function ofAmount(
  { digits, currency }: TypedAmount,
  span: DaySpan | null,
  page: SubjectPage,
  read: (given: Given, newest: string, way: Way) => string,
): SqlQuery {
  const values: unknown[] = [digits]
  const given = parameters(values)
  const ofBranches = branchCondition(page.filters, given)
  const ways = [
    ...(currency === null || !isOnChain(currency) ? [ofFiat] : []),
    ...(currency === null || isOnChain(currency) ? [ofCoins] : []),
    ofRefund,
  ].map((way) => {
    const within = [`${way.amount} = amount.digits`, conditions(page, given)]
    if (span)
      within.push(
        `started_at < ${given(new Date(span.to))}::timestamptz`,
        `started_at >= ${given(new Date(span.from - longestCourse))}::timestamptz`,
      )
    const newest = `SELECT * FROM transaction WHERE ${within.join(' AND ')} ORDER BY started_at DESC`
    return `(SELECT listed.started_at, listed.subject_id
      FROM ${way.from}unnest($1::numeric[]) AS amount (digits), LATERAL (${read(given, newest, way)}) AS listed)`
  })
  return {
    sql: `
      WITH RECURSIVE ${branches}, branch AS MATERIALIZED (SELECT * FROM found WHERE ${ofBranches})
      SELECT DISTINCT started_at, subject_id FROM (${ways.join(' UNION ALL ')}) AS way`,
    values,
  }
}
