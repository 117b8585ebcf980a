import { describe, expect, it } from 'vitest'
import type { EventView } from '#lib/events/event-view.ts'
import { joinEvents } from './join-events.ts'

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

/** Events from one number down to another. */
const events = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => event(from - i))
const ids = (rows: readonly EventView[]) => rows.map(({ id }) => id)
const newest = (from: number, to: number) => ({ rows: events(from, to), older: `event-${to}`, newer: null })

describe('the events known, when the newest page is read again', () => {
  it('puts new ones on top and keeps what was loaded below', () => {
    const joined = joinEvents(newest(12, 8), { rows: events(10, 1), older: 'below' })
    expect(ids(joined.rows)).toEqual(ids(events(12, 1)))
    expect(joined.older).toBe('below')
  })

  it('takes what is newly known of an event', () => {
    const again = { rows: [event(3, 2), event(2)], older: 'event-2', newer: null }
    expect(joinEvents(again, { rows: events(3, 1), older: null }).rows[0]?.deliveries).toBe(2)
  })

  it('keeps the row of an event of which nothing is new', () => {
    const known = { rows: events(10, 1), older: null }
    expect(joinEvents(newest(12, 8), known).rows[2]).toBe(known.rows[0])
  })

  it('moves up what came again, once', () => {
    const risen = { ...event(3), cameAgainId: 'event-000011' }
    const again = { rows: [risen, event(10), event(9)], older: 'event-000009', newer: null }
    const joined = joinEvents(again, { rows: events(10, 1), older: null })
    expect(ids(joined.rows)).toEqual(ids([risen, ...events(10, 4), ...events(2, 1)]))
  })

  it('starts the list again rather than hide a gap', () => {
    const joined = joinEvents(newest(99, 95), { rows: events(10, 1), older: 'below' })
    expect(ids(joined.rows)).toEqual(ids(events(99, 95)))
    expect(joined.older).toBe('event-95')
  })

  it('goes on without a gap when the newest page only just meets the known ones', () => {
    const joined = joinEvents(newest(12, 10), { rows: events(10, 1), older: null })
    expect(ids(joined.rows)).toEqual(ids(events(12, 1)))
    expect(joined.older).toBeNull()
  })

  it('drops the oldest rows beyond a thousand, which can be loaded again', () => {
    const joined = joinEvents(newest(1005, 990), { rows: events(1000, 1), older: null })
    expect(joined.rows).toHaveLength(1000)
    expect(joined.older).toBe('event-000006')
  })
})
