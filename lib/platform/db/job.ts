import 'server-only'
import type pg from 'pg'
import type { Transaction } from './in-transaction.ts'
import { acquireLeases, type Lease, newHolder, releaseLeases, renewLeases } from './lease.ts'

/** A job is done by one process at a time, as long as that process shows that it continues. */
export class Job {
  readonly name: string
  readonly #goodFor: number
  readonly #holder: string
  #lease: Lease | undefined

  /** @param goodFor milliseconds without a sign after which another process may take the job over */
  constructor(name: string, goodFor: number, holder = newHolder()) {
    this.name = name
    this.#goodFor = goodFor
    this.#holder = holder
  }

  /** `take` acquires the job, or keeps it. False while another process has it. */
  async take(database: pg.Pool | pg.ClientBase): Promise<boolean> {
    const [lease] = await acquireLeases(database, [this.name], this.#holder, this.#goodFor)
    this.#lease = lease
    return lease !== undefined
  }

  /**
   * `hold` comes first in each transaction of the job: no other process takes the job over until the transaction ends. False
   * when another process has it: nothing may be written then.
   */
  async hold(tx: Transaction): Promise<boolean> {
    return this.#lease !== undefined && renewLeases(tx, [this.#lease], this.#goodFor)
  }

  /** Another process can take a released job at once. */
  async release(database: pg.Pool | pg.ClientBase): Promise<void> {
    if (this.#lease) await releaseLeases(database, [this.#lease])
    this.#lease = undefined
  }
}
