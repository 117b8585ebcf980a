import 'server-only'
import { setImmediate } from 'node:timers/promises'

/** Items between two turns: a few milliseconds of work. */
const chunkSize = 64

/**
 * Yields the items in chunks and lets the event loop run in between: the statements of the previous batch are
 * sent by the same event loop.
 */
export async function* inChunks<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += chunkSize) {
    if (from > 0) await setImmediate()
    yield items.slice(from, from + chunkSize)
  }
}
