import 'server-only'
import os from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** By how much the niceness grows: among programs that all want the processor this one gets a third of its share. */
const niceness = 5

/** Lets everything else on this machine run before this process, answers to deliveries above all. Decision 0096. */
export function giveWay(): void {
  try {
    os.setPriority(Math.min(os.getPriority() + niceness, os.constants.priority.PRIORITY_LOW))
  } catch (error) {
    noting(logOf('projector'))('debug', 'The priority of this process could not be lowered')(error)
  }
}

/** Items between two turns, and what they cost at most, one aside: a few milliseconds of work. */
const chunkSize = 64
const chunkCost = 256 * 1024

/**
 * Yields the items in chunks and lets the event loop run in between: the statements of the previous batch are
 * sent by the same event loop.
 */
export async function* inChunks<Item>(
  items: readonly Item[],
  /** Bytes that are read. */
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
