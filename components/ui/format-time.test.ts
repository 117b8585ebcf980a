import { describe, expect, it } from 'vitest'
import { plainSpaces } from '../../test/plain-spaces.ts'
import {
  formatAge,
  formatAgo,
  formatClockTime,
  formatDatedTime,
  formatExactTime,
  formatMinuteTime,
  formatTimeThenDay,
} from './format-time.ts'

const at = '2026-01-31T14:17:20.123Z'
const later = (seconds: number) => Math.floor(Date.parse(at) / 1000) + seconds

describe('times in words', () => {
  it.each([
    [0, 'now'],
    [-5, 'now'],
    [34, '34 s ago'],
    [99, '99 s ago'],
    [720, '12 min ago'],
    [3 * 3600, '3 h ago'],
    [5 * 86_400, '5 d ago'],
  ])('after %i s the text is: %s', (seconds, words) => {
    expect(plainSpaces(formatAgo(at, later(seconds)))).toBe(words)
  })

  it('gives an age without "ago"', () => {
    expect([formatAge(at, later(34)), formatAge(at, later(0))]).toEqual(['34\u00a0s', 'now'])
  })

  it('leaves out the day only when it is today in the reader’s zone', () => {
    expect(formatClockTime(at, later(60), 'UTC')).toBe('14:17:20')
    expect(formatClockTime(at, later(60), 'Asia/Tokyo')).toBe('23:17:20')
    expect(formatClockTime(at, later(3600), 'Asia/Tokyo')).toBe('31 Jan 23:17:20')
    expect(formatClockTime(at, later(400 * 86_400), 'UTC')).toBe('31 Jan 2026 14:17:20')
  })

  it('shortens to the minute, or puts the day below', () => {
    expect(formatMinuteTime(at, later(86_400), 'UTC')).toBe('31 Jan 14:17')
    expect(formatTimeThenDay(at, later(86_400), 'UTC')).toBe('14:17:20\n31 Jan')
  })

  it('names the zone of a whole time', () => {
    expect(formatExactTime(at, 0, 'UTC')).toBe('31 Jan 2026, 14:17:20.123\u00a0UTC')
  })

  it('shows a text that is no time as it is', () => {
    for (const words of [
      formatAgo,
      formatAge,
      formatClockTime,
      formatMinuteTime,
      formatTimeThenDay,
      formatExactTime,
    ])
      expect(words('soon', later(0), 'UTC')).toBe('soon')
  })
})

it.each([formatClockTime, formatMinuteTime, formatTimeThenDay, formatExactTime, formatDatedTime])(
  '%o shows UTC in a zone that nobody knows',
  (format) => {
    const at = '2026-11-20T09:30:00Z'
    const now = Date.parse('2026-11-27T09:30:00Z') / 1000
    expect(format(at, now, 'Etc/Unknown')).toBe(format(at, now, 'UTC'))
  },
)
