import { formatPlainDuration } from '#lib/words/labels/duration.ts'

/** Milliseconds over which a pace is taken. */
const span = 10_000

/** How fast a long work goes, and for how long it will. */
export class ProgressRate {
  readonly #seen: { readonly at: number; readonly done: number }[] = []

  /** `now` in milliseconds, from any beginning. */
  line({ done, total }: { readonly done: number; readonly total: number }, now: number): string {
    this.#seen.push({ at: now, done })
    while (this.#seen[1] && now - this.#seen[1].at >= span) this.#seen.shift()
    const share = total === 0 ? 100 : Math.floor((100 * done) / total)
    return [`${done} of ${total} deliveries (${share} %)`, ...this.#prospect(total - done)].join(', ')
  }

  #prospect(left: number): string[] {
    const [first, last] = [this.#seen[0], this.#seen.at(-1)]
    if (!first || !last || last.at === first.at || last.done <= first.done) return []
    const perSecond = (1000 * (last.done - first.done)) / (last.at - first.at)
    return [
      `${Math.round(perSecond)} a second`,
      `about ${formatPlainDuration(Math.ceil(left / perSecond))} left`,
    ]
  }
}

/** On a terminal one line that changes, elsewhere a line every few seconds. */
export function progressLine(): (line: () => string) => void {
  const { isTTY } = process.stdout
  const every = isTTY ? 200 : 5_000
  let last = Number.NEGATIVE_INFINITY
  return (line) => {
    if (performance.now() - last < every) return
    last = performance.now()
    process.stdout.write(isTTY ? `\r${line()}\u001b[K` : `${line()}\n`)
  }
}
