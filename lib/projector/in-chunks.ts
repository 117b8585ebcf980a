import 'server-only'
import { setImmediate } from 'node:timers/promises'

/** Items between two turns: a few milliseconds of work. */
const chunkSize = 64

/**
 * The same items, with a turn for others now and then: while one batch is read and folded, the statements of the last one
 * are sent by the same event loop, and the database would wait for it.
 */
export async function* inChunks<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += chunkSize) {
    if (from > 0) await setImmediate()
    yield items.slice(from, from + chunkSize)
  }
}
