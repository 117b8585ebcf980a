import { describe, expect, it } from 'vitest'
import type { EventView } from '#lib/timeline/event-view.ts'
import { addOlder, holdEvents, joinEvents, type KnownEvents, releaseEvents } from './use-events.ts'

const event = (n: number, deliveries = 1): EventView => ({
  id: `event-${String(n).padStart(6, '0')}`,
  subjectId: 'transaction:a',
  transactionUuid: 'a',
  type: 'fiatToCrypto',
  subType: 'PENDING',
  status: null,
  entityUuid: null,
  userEmail: null,
  firstReceivedAt: '2026-01-31T14:00:00.000Z',
  lastReceivedAt: '2026-01-31T14:00:00.000Z',
  deliveries,
  placedBefore: null,
  cameAgainId: null,
  cameAgainAt: null,
  flags: [],
  restricted: false,
  unreadable: null,
})

/** The events are numbered from one number down to another. */
const events = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => event(from - i))
const ids = (rows: readonly EventView[]) => rows.map(({ id }) => id)
const place = (n: number) => event(n).id
const newest = (from: number, to: number) => ({
  rows: events(from, to),
  older: place(to),
  newest: place(from),
})
const known = (from: number, to: number, older: string | null = null) => ({ ...newest(from, to), older })

describe('the known events, when the newest page is read again', () => {
  it('get the new ones on top and keep what was loaded below', () => {
    const joined = joinEvents(newest(12, 8), known(10, 1, 'below'))
    expect(ids(joined.rows)).toEqual(ids(events(12, 1)))
    expect(joined.older).toBe('below')
  })

  it('take what is new of an event', () => {
    const again = { ...newest(3, 2), rows: [event(3, 2), event(2)] }
    expect(joinEvents(again, known(3, 1)).rows[0]?.deliveries).toBe(2)
  })

  it('keep the row of an unchanged event', () => {
    const before = known(10, 1)
    expect(joinEvents(newest(12, 8), before).rows[2]).toBe(before.rows[0])
  })

  it('move an event up once that came again', () => {
    const risen = { ...event(3), cameAgainId: 'event-000011' }
    const again = { rows: [risen, event(10), event(9)], older: place(9), newest: place(11) }
    const joined = joinEvents(again, known(10, 1))
    expect(ids(joined.rows)).toEqual(ids([risen, ...events(10, 4), ...events(2, 1)]))
  })

  it('start the list again rather than hide a gap', () => {
    const joined = joinEvents(newest(99, 95), known(10, 1, 'below'))
    expect(ids(joined.rows)).toEqual(ids(events(99, 95)))
    expect(joined.older).toBe(place(95))
  })

  it('go on without a gap when the newest page only just meets them', () => {
    const joined = joinEvents(newest(12, 10), known(10, 1))
    expect(ids(joined.rows)).toEqual(ids(events(12, 1)))
    expect(joined.older).toBeNull()
  })

  it('keep old matches when the newest page was read through without a match', () => {
    const before = { rows: [event(20)], older: place(10), newest: place(60) }
    const joined = joinEvents({ rows: [], older: place(40), newest: place(99) }, before)
    expect(joined).toMatchObject({ rows: [event(20)], older: place(10), newest: place(99) })
  })

  it('start the list again when more was left out than the matches can show', () => {
    const before = { rows: [event(20)], older: place(10), newest: place(30) }
    const page = { rows: [], older: place(40), newest: place(99) }
    expect(joinEvents(page, before)).toMatchObject(page)
  })

  it('lose events that no longer match', () => {
    const page = { rows: [event(12)], older: place(5), newest: place(12) }
    expect(ids(joinEvents(page, known(10, 1)).rows)).toEqual(ids([event(12), ...events(4, 1)]))
  })

  it.each<[what: string, asked: number, kept: number]>([
    ['fifty that nobody asked for', 20, 50],
    ['as many as were asked for', 400, 400],
    ['a thousand at most', 4_000, 1_000],
  ])('keep %s, and what falls out can be loaded again', (_what, asked, kept) => {
    const joined = joinEvents(newest(5_005, 4_990), { ...known(5_000, 1), asked })
    expect(joined.rows).toHaveLength(kept)
    expect(joined.older).toBe(place(5_005 - kept + 1))
  })

  it('keep what was loaded below, as more arrives', () => {
    const older = { ...newest(40, 1), older: null }
    const loaded = addOlder(older, known(140, 41, place(41)))
    expect(loaded).toMatchObject({ rows: events(140, 1), older: null, asked: 140 })
    expect(joinEvents(newest(142, 90), loaded).rows).toHaveLength(140)
  })

  it('mark new events as long as they are in the list', () => {
    const first = joinEvents(newest(12, 8), known(10, 1))
    expect([...(first.arrived ?? [])]).toEqual([place(12), place(11)])
    const second = joinEvents(newest(13, 9), first)
    expect([...(second.arrived ?? [])]).toEqual([place(13), place(12), place(11)])
    const again = joinEvents(newest(2000, 1001), second)
    expect(again.arrived?.size).toBe(0)
  })

  it('mark new events of a list that one page holds, or that was empty', () => {
    const whole = { ...newest(3, 1), older: null }
    expect(joinEvents(whole, known(2, 1)).arrived).toEqual(new Set([place(3)]))
    expect(joinEvents(whole, { rows: [], older: null, newest: null }).arrived).toEqual(
      new Set([place(3), place(2), place(1)]),
    )
  })

  it('mark none of many that come at once', () => {
    expect(joinEvents(newest(18, 5), known(10, 1)).arrived?.size).toBe(8)
    expect(joinEvents(newest(19, 5), known(10, 1)).arrived?.size).toBe(0)
  })
})

describe('the known events, while new ones are held back', () => {
  const before: KnownEvents = known(10, 1, 'below')
  const held = holdEvents(
    { ...newest(12, 8), rows: [event(12), event(11), event(10, 2), event(9), event(8)] },
    before,
  )

  it('stay where they are, and are updated', () => {
    expect(ids(held.rows)).toEqual(ids(events(10, 1)))
    expect(held.rows[0]?.deliveries).toBe(2)
    expect(held.rows[1]).toBe(before.rows[1])
    expect(held.older).toBe('below')
  })

  it('come with the number of waiting ones', () => {
    expect(held.waits).toMatchObject({ count: 2, hasMore: false })
    expect(holdEvents(newest(99, 95), before).waits).toMatchObject({ count: 5, hasMore: true })
    expect(holdEvents(newest(10, 8), before).waits?.count).toBe(0)
  })

  it('are joined with the waiting ones afterwards', () => {
    const released = releaseEvents(holdEvents(newest(13, 9), held))
    expect(ids(released.rows)).toEqual(ids(events(13, 1)))
    expect(released.waits).toBeUndefined()
    expect(releaseEvents(released)).toEqual(released)
  })
})
