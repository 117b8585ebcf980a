import 'server-only'

/** A buffered writer writes the rows that wait in memory together, a moment after the first of them. */
export interface BufferedWriter {
  /** The caller has added a row, which is written after a moment. */
  request(): void
  /** The writer writes the waiting rows once more and ends. */
  close(): Promise<void>
}

/** The next write follows after this many milliseconds, after an addition and after a failure. */
interface WriteTimes {
  readonly after: number
  readonly retryAfter: number
}

/** @param write takes and writes the waiting rows. False when some of them wait for the next try; it never rejects. */
export function openBufferedWriter(
  write: () => Promise<boolean>,
  { after, retryAfter }: WriteTimes,
): BufferedWriter {
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function writeIn(ms: number) {
    timer ??= setTimeout(() => {
      writing = writeNow()
    }, ms)
  }

  async function writeNow() {
    clearTimeout(timer)
    timer = undefined
    if (!(await write())) writeIn(retryAfter)
  }

  return {
    request: () => writeIn(after),
    async close() {
      await writing
      await writeNow()
      clearTimeout(timer)
    },
  }
}
