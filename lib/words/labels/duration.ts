/**
 * `formatDuration` writes a duration for people: `3 s`, `66 s`, `12 min 11 s`, `1 h 8 min`, `2 d 3 h`. It takes seconds, 0
 * or more. No line break separates a number from its unit.
 */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return `less than ${inUnit(1, 's')}`
  const whole = Math.round(seconds)
  if (whole < 120) return inUnit(whole, 's')
  if (whole < 2 * hour) return two(whole, 60, 'min', 1, 's')
  if (whole < 2 * day) return two(whole, hour, 'h', 60, 'min')
  return two(whole, day, 'd', hour, 'h')
}

/** Terminals get ordinary spaces, so that people can search for the text. */
export const formatPlainDuration = (seconds: number): string =>
  formatDuration(seconds).replaceAll('\u00a0', ' ')

const hour = 3600
const day = 24 * hour

function two(seconds: number, unit: number, name: string, smallerUnit: number, smallerName: string): string {
  const smaller = Math.floor((seconds % unit) / smallerUnit)
  const big = inUnit(Math.floor(seconds / unit), name)
  return smaller === 0 ? big : `${big} ${inUnit(smaller, smallerName)}`
}

const inUnit = (count: number, unit: string): string => `${count}\u00a0${unit}`
