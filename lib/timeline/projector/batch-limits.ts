import 'server-only'
import { smallBody } from '#lib/deliveries/queue/take.ts'

/** How often the work on one subject must reach its time limit, one time after the other, until it is given up. */
const attemptsAlone = 3

/**
 * How many deliveries a transaction takes: half as many after one that reached a time limit, then slowly more again. So
 * what is too slow together is done in parts, and what is too slow alone is found.
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
   * Call it when work on this many deliveries of this many subjects reached a time limit.
   * @returns whether to give up the subject. Once is not enough: the database may have been silent for a moment.
   */
  afterTimeout(deliveries: number, subjects: number): boolean {
    this.#current = Math.max(1, Math.floor(Math.min(this.#current, deliveries) / 2))
    this.#timeoutsAlone = subjects === 1 ? this.#timeoutsAlone + 1 : 0
    return this.#timeoutsAlone >= attemptsAlone
  }
}

/** Arrays and objects of the costly bodies of one batch: reading as many takes a second or two. */
const mostNested = 300_000

interface Stored {
  readonly body: Uint8Array | null
}

/**
 * The deliveries of those taken that make one batch: all that are read in no time, and of the others the first few. So those
 * behind a body of very many arrays or objects do not wait for all such, and a transaction is not held open meanwhile.
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

/** Opening brackets, in texts too; 0 of a small body. */
function nestedIn(body: Uint8Array | null): number {
  if (body === null || body.length <= smallBody) return 0
  let count = 0
  for (const byte of body) if (byte === 0x5b || byte === 0x7b) count += 1
  return count
}
