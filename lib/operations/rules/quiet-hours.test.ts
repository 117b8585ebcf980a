import { describe, expect, it } from 'vitest'
import { dueAt, endOfQuiet, groupMs, isTimeZone, pauseMs, timeOfDay } from './quiet-hours.ts'

const at = (time: string) => Date.parse(`2026-11-29T${time}Z`)
const night = { from: 22 * 60, until: 7 * 60, zone: 'UTC' }
const noon = { from: 12 * 60, until: 13 * 60, zone: 'UTC' }

it.each([
  [0, '00:00'],
  [450, '07:30'],
  [1_439, '23:59'],
])('writes the minute %i of a day as %s', (minute, text) => {
  expect(timeOfDay(minute)).toBe(text)
})

describe('quiet hours', () => {
  it.each([
    ['21:59:59', null],
    ['22:00:00', '2026-11-30T07:00:00.000Z'],
    ['23:30:30', '2026-11-30T07:00:00.000Z'],
    ['06:59:59', '2026-11-29T07:00:00.000Z'],
    ['07:00:00', null],
  ])('over midnight, at %s, end at %s', (time, end) => {
    const found = endOfQuiet(night, at(time))
    expect(found === null ? null : new Date(found).toISOString()).toBe(end)
  })

  it.each([
    ['11:59:00', null],
    ['12:30:00', at('13:00:00')],
    ['13:00:00', null],
  ])('within a day, at %s, end at %s', (time, end) => expect(endOfQuiet(noon, at(time))).toBe(end))

  it.each([
    ['America/New_York', '2026-10-31T23:00:00-04:00', 22, 7, '2026-11-01T07:00:00-05:00'],
    ['Europe/Berlin', '2026-10-24T23:00:00+02:00', 22, 7, '2026-10-25T07:00:00+01:00'],
    ['Europe/Berlin', '2026-03-28T23:00:00+01:00', 22, 7, '2026-03-29T07:00:00+02:00'],
    ['Europe/Berlin', '2026-03-28T23:00:00+01:00', 22, 2.5, '2026-03-29T03:00:00+02:00'],
    ['Europe/Berlin', '2026-10-25T02:50:00+02:00', 22, 2.5, null],
    ['America/Santiago', '2026-09-05T20:00:00-04:00', 19, 0.5, '2026-09-06T01:00:00-03:00'],
    ['America/Santiago', '2026-04-04T22:00:00-03:00', 19, 0.5, '2026-04-05T00:30:00-04:00'],
  ])('in %s, from %s, end by the clock when it changes', (zone, from, begins, ends, end) => {
    const quiet = { from: begins * 60, until: ends * 60, zone }
    expect(endOfQuiet(quiet, Date.parse(from))).toBe(end === null ? null : Date.parse(end))
  })

  it('are those of their time zone, and none when both times are the same', () => {
    expect(endOfQuiet({ ...noon, zone: 'America/New_York' }, at('12:30:00'))).toBeNull()
    expect(endOfQuiet({ ...noon, zone: 'America/New_York' }, at('17:30:00'))).toBe(at('18:00:00'))
    expect(endOfQuiet({ ...noon, until: noon.from }, at('12:00:00'))).toBeNull()
    // A zone that another machine knew is read as UTC.
    expect(endOfQuiet({ ...noon, zone: 'Mars/Base' }, at('12:30:00'))).toBe(at('13:00:00'))
    expect([isTimeZone('Europe/Berlin'), isTimeZone('Mars/Base')]).toEqual([true, false])
  })
})

describe('news are due', () => {
  const now = at('23:00:00')
  const recipient = { quiet: null, lastMessageAt: null }

  it('after a moment in which others join them', () => {
    expect(dueAt('warning', recipient, now)).toBe(now + groupMs)
  })

  it('some minutes after the last message, unless they are urgent', () => {
    const reached = { ...recipient, lastMessageAt: now - 60_000 }
    expect(dueAt('warning', reached, now)).toBe(now - 60_000 + pauseMs)
    expect(dueAt('urgent', reached, now)).toBe(now + groupMs)
  })

  it('at the end of quiet hours, unless they are urgent', () => {
    const asleep = { ...recipient, quiet: night }
    expect(dueAt('warning', asleep, now)).toBe(Date.parse('2026-11-30T07:00:00Z'))
    expect(dueAt('urgent', asleep, now)).toBe(now + groupMs)
  })
})
