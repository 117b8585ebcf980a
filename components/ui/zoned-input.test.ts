import { expect, it } from 'vitest'
import { fromZonedInput, offsetLabel, toZonedInput } from './zoned-input.ts'

it.each([
  ['2026-11-20T09:30Z', 'UTC', '2026-11-20T09:30'],
  ['2026-11-20T09:30Z', 'Europe/Berlin', '2026-11-20T10:30'],
  ['2026-07-20T09:30Z', 'Europe/Berlin', '2026-07-20T11:30'],
  ['2026-11-20T00:10Z', 'America/Sao_Paulo', '2026-11-19T21:10'],
  ['2026-11-20T20:00Z', 'Asia/Kathmandu', '2026-11-21T01:45'],
  // These are the hour before and the hour after the clocks change.
  ['2026-03-29T00:30Z', 'Europe/Berlin', '2026-03-29T01:30'],
  ['2026-03-29T01:30Z', 'Europe/Berlin', '2026-03-29T03:30'],
])('%s is, in %s, %s in the field, and back', (at, zone, text) => {
  expect(toZonedInput(at, zone)).toBe(text)
  for (const edge of ['from', 'to'] as const) expect(fromZonedInput(text, zone, edge)).toBe(at)
})

it.each([
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30Z', '2026-10-25T01:30Z'],
  ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30Z', '2026-11-01T06:30Z'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45Z', '2026-04-04T15:15Z'],
  ['Asia/Beirut', '2026-10-24T23:30', '2026-10-24T20:30Z', '2026-10-24T21:30Z'],
  ['America/Santiago', '2026-04-04T23:30', '2026-04-05T02:30Z', '2026-04-05T03:30Z'],
])('in %s there are two %s: from the first, to the second', (zone, text, first, second) => {
  expect(fromZonedInput(text, zone, 'from')).toBe(first)
  expect(fromZonedInput(text, zone, 'to')).toBe(second)
  expect(toZonedInput(first, zone)).toBe(text)
  expect(toZonedInput(second, zone)).toBe(text)
})

it.each([
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:00Z'],
  ['America/New_York', '2026-03-08T02:00', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-03-08T02:59', '2026-03-08T07:00Z'],
  ['Africa/Cairo', '2026-04-24T00:30', '2026-04-23T22:00Z'],
  ['Asia/Beirut', '2026-03-29T00:00', '2026-03-28T22:00Z'],
  ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:30Z'],
  // A whole day was left out there.
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T10:00Z'],
])('in %s there is no %s: it becomes the moment at which the clocks skip it', (zone, text, at) => {
  for (const edge of ['from', 'to'] as const) expect(fromZonedInput(text, zone, edge)).toBe(at)
})

it('a text that is no time gives none', () => {
  for (const text of ['', 'x', '2026-11-20', '2026-13-20T09:30'])
    expect(fromZonedInput(text, 'UTC', 'from')).toBeNull()
  expect(toZonedInput('yesterday', 'UTC')).toBe('')
})

it.each([
  ['2026-10-25T00:30Z', 'Europe/Berlin', 'UTC+2'],
  ['2026-10-25T01:30Z', 'Europe/Berlin', 'UTC+1'],
  ['2026-11-20T00:00Z', 'America/St_Johns', 'UTC−3:30'],
  ['2026-11-20T00:00Z', 'Asia/Kathmandu', 'UTC+5:45'],
  ['2026-11-20T00:00Z', 'Europe/Lisbon', 'UTC'],
  ['yesterday', 'UTC', ''],
  ['2026-11-20T00:00Z', 'Etc/Unknown', 'UTC'],
])('the clocks of %s in %s are %s', (at, zone, label) => {
  expect(offsetLabel(at, zone)).toBe(label)
})
