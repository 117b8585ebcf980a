import { formatPlainDuration } from '../../lib/words/labels/duration.ts'

/** The rate is taken over this many milliseconds. */
const span = 10_000

/** The rate says how fast a long work proceeds, and how much longer it takes. */
export class ProgressRate {
  readonly #seen: { readonly at: number; readonly done: number }[] = []

  /** `now` is in milliseconds from any beginning. */
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

/**
 * A terminal gets one line that changes, and other output a line every few seconds.
 * @param stream where a command prints its result to standard output, its progress goes to standard error
 */
export function progressLine(stream: NodeJS.WriteStream = process.stdout): (line: () => string) => void {
  const { isTTY } = stream
  const every = isTTY ? 200 : 5_000
  let last = Number.NEGATIVE_INFINITY
  return (line) => {
    if (performance.now() - last < every) return
    last = performance.now()
    stream.write(isTTY ? `\r${line()}\u001b[K` : `${line()}\n`)
  }
}

/** The next line of a terminal begins where the progress was. */
export function endProgress(stream: NodeJS.WriteStream = process.stderr): void {
  if (stream.isTTY) stream.write('\r\u001b[K')
}
