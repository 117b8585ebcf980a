import 'server-only'
import os from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** The niceness grows by this much: among programs that all want the processor, this one gets a third of its share. */
const niceness = 5

/** Everything else on this machine runs before this process, above all the answers to deliveries. Decision 0030. */
export function giveWay(): void {
  try {
    os.setPriority(Math.min(os.getPriority() + niceness, os.constants.priority.PRIORITY_LOW))
  } catch (error) {
    noting(logOf('projector'))('debug', 'The priority of this process could not be lowered')(error)
  }
}

/** One chunk has this many items, and at most this cost unless it is a single item: a few milliseconds of work. */
const chunkSize = 64
const chunkCost = 256 * 1024

/**
 * The items are yielded in chunks, and the event loop runs in between: it also sends the statements of the previous batch.
 */
export async function* inChunks<Item>(
  items: readonly Item[],
  /** The cost is the number of bytes that are read. */
  costOf: (item: Item) => number = () => 0,
): AsyncGenerator<readonly Item[]> {
  let chunk: Item[] = []
  let cost = 0
  for (const item of items) {
    if (chunk.length === chunkSize || (chunk.length > 0 && cost + costOf(item) > chunkCost)) {
      yield chunk
      await setImmediate()
      chunk = []
      cost = 0
    }
    chunk.push(item)
    cost += costOf(item)
  }
  if (chunk.length > 0) yield chunk
}
