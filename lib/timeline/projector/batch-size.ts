import 'server-only'

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
