import type { Urgency } from './alert-conditions.ts'

/** Quiet hours repeat each day, in minutes of the day of a time zone. `until` may be on the next day. */
export interface QuietHours {
  readonly from: number
  readonly until: number
  /** The zone is an IANA name, such as `Europe/Berlin`. */
  readonly zone: string
}

/** The time of a minute of the day is written as 07:30. */
export const timeOfDay = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')

/** News of one round wait so many milliseconds for others, so that one message has all of them. */
export const groupMs = 30_000

/** A recipient gets messages without urgent news at least so many milliseconds apart. */
export const pauseMs = 5 * 60_000

interface Recipient {
  readonly quiet: QuietHours | null
  /** The recipient was last sent a message at this time; null for never. */
  readonly lastMessageAt: number | null
}

/**
 * `dueAt` computes when news may go to a recipient. Quiet hours and the pause do not hold urgent news back, because the
 * service gives up on deliveries while people sleep (§6.8). Times are ms since 1970.
 */
export function dueAt(
  urgency: Urgency,
  { quiet, lastMessageAt }: Recipient,
  now: number,
  times: { readonly groupMs: number; readonly pauseMs: number } = { groupMs, pauseMs },
): number {
  const grouped = now + times.groupMs
  if (urgency === 'urgent') return grouped
  const paused = Math.max(grouped, (lastMessageAt ?? 0) + times.pauseMs)
  return quiet === null ? paused : (endOfQuiet(quiet, paused) ?? paused)
}

/** The end of the quiet hours that `at` lies in, to the minute; null outside of them. */
export function endOfQuiet(quiet: QuietHours, at: number): number | null {
  const { from, until, zone } = quiet
  if (from === until || !isQuietAt(quiet, at)) return null
  const minute = Math.floor(at / minuteMs)
  const left = (until - minuteOfDay(at, zone) + dayMinutes) % dayMinutes
  // When clocks change, the clock shows more or fewer minutes than those that pass.
  const late = minuteOfDay((minute + left) * minuteMs, zone) - until
  const end = (minute + left - (((late + 1.5 * dayMinutes) % dayMinutes) - dayMinutes / 2)) * minuteMs
  // A clock that is put forward may leave the minute out.
  return minuteOfDay(end, zone) === until ? end : firstAfter(quiet, at)
}

/** The first minute after `at` that is not quiet. */
function firstAfter(quiet: QuietHours, at: number): number {
  let minute = Math.floor(at / minuteMs) + 1
  while (isQuietAt(quiet, minute * minuteMs)) minute++
  return minute * minuteMs
}

function isQuietAt({ from, until, zone }: QuietHours, at: number): boolean {
  const minute = minuteOfDay(at, zone)
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

const dayMinutes = 1_440
const minuteMs = 60_000

/** A time zone that this machine does not know counts as UTC. */
function minuteOfDay(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: isTimeZone(zone) ? zone : 'UTC',
  }).formatToParts(at)
  const part = (type: 'hour' | 'minute') => Number(parts.find((one) => one.type === type)?.value ?? 0)
  return part('hour') * 60 + part('minute')
}

export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
