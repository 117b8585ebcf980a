import 'server-only'
import os from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { smallBody } from '#lib/deliveries/queue/take.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'

/** A subject is given up after its work reached the time limit this many times in a row. */
const attemptsAlone = 3

/**
 * A transaction takes this many deliveries: half as many after one that reached a time limit, then slowly more
 * again. So work that is too slow together is done in parts, and a delivery that is too slow alone is found.
 */
export class BatchSize {
  readonly #max: number
  #current: number
  #timeoutsAlone = 0

  constructor(max: number) {
    this.#max = max
    this.#current = max
  }

  get current(): number {
    return this.#current
  }

  afterSuccess(): void {
    this.#timeoutsAlone = 0
    this.#current = Math.min(this.#max, this.#current + Math.ceil(this.#max / 20))
  }

  /**
   * The caller reports that work on this many deliveries and subjects reached a time limit. The result says to
   * give up the subject. Once is not enough: the database may have been silent for a moment.
   */
  afterTimeout(deliveries: number, subjects: number): boolean {
    this.#current = Math.max(1, Math.floor(Math.min(this.#current, deliveries) / 2))
    this.#timeoutsAlone = subjects === 1 ? this.#timeoutsAlone + 1 : 0
    return this.#timeoutsAlone >= attemptsAlone
  }
}

/** The costly bodies of one batch may have this many arrays and objects: reading them takes a second or two. */
const mostNested = 300_000

interface Stored {
  readonly body: Uint8Array | null
}

/**
 * One batch takes all deliveries that are read fast, and the first few of the others. So deliveries behind a body of very
 * many arrays or objects do not wait for all such bodies, and no transaction is held open meanwhile.
 */
export function withinCost<T extends Stored>(
  taken: readonly T[],
): { readonly batch: readonly T[]; readonly left: readonly T[]; readonly isCostly: boolean } {
  const batch: T[] = []
  const left: T[] = []
  let nested = 0
  for (const one of taken) {
    const cost = nestedIn(one.body)
    if (cost > 0 && nested > 0 && nested + cost > mostNested) left.push(one)
    else {
      nested += cost
      batch.push(one)
    }
  }
  return { batch, left, isCostly: nested > mostNested / 4 }
}

/** Opening brackets are counted, in texts too; a small body counts as 0. */
function nestedIn(body: Uint8Array | null): number {
  if (body === null || body.length <= smallBody) return 0
  let count = 0
  for (const byte of body) if (byte === 0x5b || byte === 0x7b) count += 1
  return count
}

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

/** The projector of this process has done so much since its start. */
export const foldCounts = {
  deliveries: 0,
  batches: 0,
  /** The seconds are from the beginning of each write of a batch to its commit. */
  seconds: 0,
  interruptions: 0,
}
