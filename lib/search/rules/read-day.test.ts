import { expect, it } from 'vitest'
import { daySpan, findDay, withFixedDay } from './read-day.ts'

const now = Date.UTC(2026, 10, 22, 15)
const hour = 60 * 60_000

it.each([
  ['20 Nov', { day: 20, month: 11, year: null }],
  ['20th November 2025', { day: 20, month: 11, year: 2025 }],
  ['Nov. 20, 2025', { day: 20, month: 11, year: 2025 }],
  ['2025-11-20', { day: 20, month: 11, year: 2025 }],
  ['20.11.', { day: 20, month: 11, year: null }],
  ['20.11.2025', { day: 20, month: 11, year: 2025 }],
  ['20. 11. 2025', { day: 20, month: 11, year: 2025 }],
  ['20 Nov 25', { day: 20, month: 11, year: 2025 }],
  ["20 Nov '25", { day: 20, month: 11, year: 2025 }],
  ['20-Nov-25', { day: 20, month: 11, year: 2025 }],
  ['20/11/25', { day: 20, month: 11, year: 2025 }],
])('reads the day %s', (text, day) => {
  expect(findDay(`5.49 ${text}`)).toEqual({ day: { kind: 'date', ...day }, rest: '5.49' })
})

it.each(['5.49', '20/11', '31 Feb', '1.234.567', '20', 'novice 20', 'hoy', '20dec', '20251120'])(
  'finds no day in %s',
  (text) => {
    expect(findDay(text)).toBeNull()
  },
)

it('means the latest such day, wherever on earth it is', () => {
  const begins = (text: string) => {
    const day = findDay(text)?.day
    return day && new Date(daySpan(day, now).from + 14 * hour).toISOString().slice(0, 10)
  }
  expect(begins('20 Nov')).toBe('2026-11-20')
  expect(begins('24 Dec')).toBe('2025-12-24')
  expect(begins('29 Feb')).toBe('2024-02-29')
  expect(begins('yesterday')).toBe('2026-11-21')
  const { from, to } = daySpan({ kind: 'days-ago', days: 0 }, now)
  expect(to - from).toBe(50 * hour)
})

it('writes the day of a word as it is today', () => {
  expect(withFixedDay('207.71 EUR yesterday', now)).toBe('207.71 EUR 2026-11-21')
  expect(withFixedDay('5 today', now)).toBe('5 2026-11-22')
  expect(withFixedDay('5 EUR hoy', now)).toBe('5 EUR 2026-11-22')
  expect(withFixedDay('5 EUR Gestern', now)).toBe('5 EUR 2026-11-21')
})

it.each(['𘩴aa 19.', 'a𘩴b 7 x', 'デ𘩴 19.', '𝔘𝔫𝔦 12', '12 𝔘𝔫𝔦'])(
  'ends where letters of two code units stand in the place of a month: %s',
  (text) => expect(findDay(text)).toBeNull(),
)

it('finds a day behind a letter of two code units', () => {
  expect(findDay('𘩴aa 19 20 Nov')?.day).toEqual({ kind: 'date', day: 20, month: 11, year: null })
})
