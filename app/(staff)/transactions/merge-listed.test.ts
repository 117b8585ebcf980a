import { describe, expect, it } from 'vitest'
import { mergeListed, rowsPushedOff } from '#components/ui/list/use-list.ts'
import type { TransactionPage, TransactionView } from '#lib/transactions/transaction-view.ts'
import { transactionPlace } from './listed-transactions.tsx'

const row = (uuid: string, minute: number, step = 'PENDING'): TransactionView => ({
  uuid,
  subjectId: `transaction:${uuid}`,
  direction: 'fiatToCrypto',
  step,
  reason: null,
  amountFiat: null,
  amountCrypto: null,
  amountRefunded: null,
  fees: null,
  limit: null,
  currencyFiat: null,
  currencyCrypto: null,
  chain: null,
  transactionHash: null,
  userUuid: null,
  userEmail: null,
  flags: [],
  stuck: false,
  startedAt: `2026-01-31T14:${String(minute).padStart(2, '0')}:00.000Z`,
  lastMoveAt: `2026-01-31T14:${String(minute).padStart(2, '0')}:00.000Z`,
  finishedAt: null,
})

const page = (rows: TransactionView[], next: string | null = null): TransactionPage => ({
  rows,
  next,
  total: { count: rows.length, exact: true },
  scannedTo: null,
  withoutFilter: [],
})

const idOf = ({ uuid }: TransactionView) => uuid
const byStart = { idOf, placeOf: transactionPlace.started }
const byMove = { idOf, placeOf: transactionPlace.moved }
const byAmount = { idOf, placeOf: transactionPlace.amount }

describe('a page of the list while it is being read', () => {
  it('updates its rows in place', () => {
    const merged = mergeListed(
      page([row('b', 2), row('a', 1)]),
      page([row('b', 2, 'SUCCESS'), row('a', 1)]),
      byStart,
    )
    expect(merged.rows.map(({ uuid, step }) => [uuid, step])).toEqual([
      ['b', 'SUCCESS'],
      ['a', 'PENDING'],
    ])
    expect(merged.newCount).toBe(0)
  })

  it('keeps an unchanged row as the same object, so that it need not be drawn again', () => {
    const reading = page([row('b', 2), row('a', 1)])
    const { rows } = mergeListed(reading, page([row('c', 3), row('b', 2), row('a', 1, 'SUCCESS')]), byStart)
    expect(rows[0]).toBe(reading.rows[0])
    expect(rows[1]).not.toBe(reading.rows[1])
  })

  it('counts new rows above the page and shows none of them', () => {
    const merged = mergeListed(page([row('a', 1)]), page([row('c', 3), row('b', 2), row('a', 1)]), byStart)
    expect(merged.rows.map(({ uuid }) => uuid)).toEqual(['a'])
    expect(merged.newCount).toBe(2)
  })

  it('keeps and marks a row that does not match the filters any more', () => {
    const merged = mergeListed(page([row('b', 2), row('a', 1)]), page([row('a', 1)]), byStart)
    expect(merged.rows.map(({ uuid }) => uuid)).toEqual(['b', 'a'])
    expect([...merged.noLongerMatching]).toEqual(['b'])
  })

  it('does not mark a row as gone when newer rows pushed it off the page', () => {
    const merged = mergeListed(
      page([row('b', 2), row('a', 1)]),
      page([row('c', 3), row('b', 2)], 'cursor'),
      byStart,
    )
    expect([...merged.noLongerMatching]).toEqual([])
    expect(merged.newCount).toBe(1)
  })

  it('updates rows that newer ones pushed off the page, which are then asked for by id', () => {
    const reading = page([row('b', 2), row('a', 1)], 'cursor')
    const latest = page([row('d', 4), row('c', 3)], 'cursor')
    expect(rowsPushedOff(reading, latest, byStart)).toEqual(['b', 'a'])
    expect(rowsPushedOff(reading, page([row('c', 3), row('b', 2)], 'cursor'), byStart)).toEqual(['a'])
    expect(rowsPushedOff(reading, page([row('b', 2)]), byStart)).toEqual([])
    const { rows, newCount } = mergeListed(reading, latest, byStart, [row('a', 1, 'SUCCESS')])
    expect(rows.map(({ uuid, step }) => [uuid, step])).toEqual([
      ['b', 'PENDING'],
      ['a', 'SUCCESS'],
    ])
    expect(newCount).toBe(2)
  })

  it('does not count a row as new when it only moved up from the next page', () => {
    const merged = mergeListed(page([row('c', 3), row('b', 2)]), page([row('c', 3), row('a', 1)]), byStart)
    expect(merged.newCount).toBe(0)
  })

  it('keeps each row where it is when one moves up', () => {
    const reading = page([row('c', 3), row('b', 2), row('a', 1)])
    const moved = { ...row('a', 1), lastMoveAt: '2026-01-31T14:09:00.000Z' }
    const merged = mergeListed(reading, page([moved, row('c', 3), row('b', 2)]), byMove)
    expect(merged.rows).toEqual([row('c', 3), row('b', 2), moved])
    expect(merged.newCount).toBe(0)
  })

  it('compares rows by the sort order of the list', () => {
    const moved = { ...row('a', 1), lastMoveAt: '2026-01-31T14:09:00.000Z' }
    const reading = page([row('b', 2)])
    expect(mergeListed(reading, page([moved, row('b', 2)]), byMove).newCount).toBe(1)
    expect(mergeListed(reading, page([moved, row('b', 2)]), byStart).newCount).toBe(0)
    const large = page([{ ...row('c', 0), amountFiat: '10.5' }])
    expect(mergeListed(large, page([row('d', 5)]), byAmount).newCount).toBe(0)
    expect(mergeListed(large, page([{ ...row('d', 5), amountFiat: '1e3' }]), byAmount).newCount).toBe(1)
  })
})
