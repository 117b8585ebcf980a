/** How far a stream was read: `count` messages of the process that started as `boot`. */
interface Position {
  readonly boot: string
  readonly count: number
}

export function parseStreamPosition(text: string | null): Position | null {
  const [boot, count] = text?.split('.') ?? []
  return boot && count && /^\d+$/.test(count) ? { boot, count: Number(count) } : null
}

/** The later of two; one of another process is later than what was known, since the stream has moved there. */
export function later(known: string | null, next: string | null): string | null {
  const [before, after] = [parseStreamPosition(known), parseStreamPosition(next)]
  if (!after) return known
  return before?.boot === after.boot && before.count > after.count ? known : next
}
