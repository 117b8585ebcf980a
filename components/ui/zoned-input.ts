/** What stands in a field of type `datetime-local` for a moment, in a time zone: `2026-11-20T09:30`; '' for what is no time. */
export function toZonedInput(at: string, timeZone: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() + offsetAt(date.getTime(), timeZone)).toISOString().slice(0, 16)
}

/** The moment of such a text, in UTC to the minute: `2026-11-20T08:30Z`; null for what is no time. */
export function fromZonedInput(text: string, timeZone: string): string | null {
  const asUtc = Date.parse(`${text.slice(0, 16)}Z`)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(asUtc)) return null
  // Twice: where the clocks change, the offset is another before than after.
  const first = asUtc - offsetAt(asUtc, timeZone)
  const at = asUtc - offsetAt(first, timeZone)
  return `${new Date(at).toISOString().slice(0, 16)}Z`
}

/** How far the clocks of a zone are ahead of UTC, in ms. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - Math.floor(at / 1000) * 1000
}
