import { formatDuration } from './duration.ts'

/** Seconds between two clocks that nobody has to know of. */
const unremarkable = 5 * 60

/** By how much the service's clock is ahead of ours, or behind when negative, in words; null when it does not matter. */
export function clockDifference(offsetSeconds: number): string | null {
  const apart = Math.abs(offsetSeconds)
  if (apart < unremarkable) return null
  const days = Math.round(apart / 86_400)
  const by = apart < 2 * 86_400 ? formatDuration(apart) : `${days} days`
  return `The clocks differ by ${by}: the payment service’s is ${offsetSeconds > 0 ? 'ahead' : 'behind'}. The message is made in its time.`
}
