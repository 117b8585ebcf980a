import 'server-only'
import type pg from 'pg'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import {
  acquireLeases,
  isLeaseGood,
  type Lease,
  newHolder,
  releaseLeases,
  renewLeases,
  sweepLeases,
} from '#lib/platform/db/lease.ts'

/** A lease is valid for this many milliseconds; its holder renews it several times meanwhile. */
export const shardLeaseMs = 1_400

/** The other processes are checked after this many milliseconds. */
const checkEvery = 500

const prefix = 'projector:'
const processPrefix = 'projector-process:'

/** SQL that is true while a process holds a shard, so that deliveries are folded. */
export const someShardIsHeld = `EXISTS (SELECT 1 FROM lease WHERE name LIKE '${prefix}%' AND ${isLeaseGood(shardLeaseMs)})`

/** Shards are numbered from 0. */
export const leaseOfShard = (shard: number) => `${prefix}${shard}`

export const shardOfLease = ({ name }: Lease) => Number(name.slice(prefix.length))

/**
 * The process folds these shards, an equal share among the living processes. Each process also holds a lease of
 * its own, as a heartbeat.
 */
export class ShardLeases {
  readonly holder = newHolder()
  readonly #pool: pg.Pool
  readonly #shards: number
  readonly #onlyWhenAlone: boolean
  #held: readonly Lease[] = []
  #process: readonly Lease[] = []
  #nextCheck = 0

  /** `onlyWhenAlone`: the process takes no shard while another lives, and is not counted by others. */
  constructor(pool: pg.Pool, shards: number, onlyWhenAlone = false) {
    this.#pool = pool
    this.#shards = shards
    this.#onlyWhenAlone = onlyWhenAlone
  }

  get held(): readonly Lease[] {
    return this.#held
  }

  /** Null when every shard is held. */
  get heldShards(): number[] | null {
    return this.#held.length === this.#shards ? null : this.#held.map(shardOfLease)
  }

  readonly isHeld = (hash: number): boolean =>
    this.#held.some((lease) => shardOfLease(lease) === hash % this.#shards)

  /**
   * The share is checked from time to time. The result is the wanted number when the process should give back
   * or can take shards, `lost` when held shards were taken away (`stopWrites`), otherwise null.
   */
  async checkShare(): Promise<ShardShare | 'lost' | null> {
    if (performance.now() < this.#nextCheck) return null
    this.#nextCheck = performance.now() + checkEvery
    if (!this.#onlyWhenAlone) await this.#renewProcess()
    const { rows } = await this.#pool.query<{ name: string; epoch: bigint; mine: boolean }>({
      name: 'look-at-leases',
      text: SELECT_LEASES,
      values: [this.holder, shardLeaseMs],
    })
    const epochs = new Map(rows.filter(({ mine }) => mine).map(({ name, epoch }) => [name, epoch]))
    if (this.#held.some(({ name, epoch }) => epochs.get(name) !== epoch)) return 'lost'
    const names = new Set(rows.filter(({ mine }) => !mine).map(({ name }) => name))
    const others = [...names].filter((name) => name.startsWith(processPrefix)).length
    const count = this.#onlyWhenAlone && others > 0 ? 0 : Math.ceil(this.#shards / (others + 1))
    const mine = new Set(this.#held.map(({ name }) => name))
    const free = this.#names().filter((name) => !mine.has(name) && !names.has(name))
    const freeCount = Math.max(0, count - this.#held.length)
    const share = { count, free: free.slice(0, freeCount) }
    return this.#held.length > count || share.free.length > 0 ? share : null
  }

  /** Surplus shards are given back, or free ones taken. Nothing may be written meanwhile. */
  async applyShare({ count, free }: ShardShare): Promise<void> {
    const extra = this.#held.slice(count)
    this.#held = this.#held.slice(0, count)
    await releaseLeases(this.#pool, extra)
    const won = await acquireLeases(this.#pool, free, this.holder, shardLeaseMs)
    this.#held = [...this.#held, ...won].sort((a, b) => shardOfLease(a) - shardOfLease(b))
  }

  /** The leases are renewed; false when another process has taken some of them. */
  async renew(): Promise<boolean> {
    const all = [...this.#held, ...this.#process]
    return all.length === 0 || renewLeases(this.#pool, all, shardLeaseMs)
  }

  /** All leases are forgotten without releasing them: a lost lease belongs to another process. */
  forget(): void {
    this.#held = []
    this.#nextCheck = 0
  }

  /** Other processes can begin at once. */
  async release(): Promise<void> {
    const all = [...this.#held, ...this.#process]
    this.#held = []
    this.#process = []
    await releaseLeases(this.#pool, all)
  }

  #names(): string[] {
    return Array.from({ length: this.#shards }, (_, shard) => leaseOfShard(shard))
  }

  async #renewProcess() {
    if (this.#process.length > 0 && (await renewLeases(this.#pool, this.#process, shardLeaseMs))) return
    await sweepLeases(this.#pool, processPrefix)
    this.#process = await acquireLeases(
      this.#pool,
      [`${processPrefix}${this.holder}`],
      this.holder,
      shardLeaseMs,
    )
  }
}

/** A process should have this many shards, and can take these now. */
interface ShardShare {
  readonly count: number
  readonly free: readonly string[]
}

/** The query reads the leases of this process and of others. */
const SELECT_LEASES = `
  SELECT name, epoch, holder = $1 AS mine FROM lease
  WHERE name LIKE 'projector%' AND (holder = $1 OR ${isLeaseGood('$2')})`

/**
 * All projectors lose their shards until the transaction ends: running writes end first, and data read before
 * is read again. The projectors acquire their shards anew at once.
 */
export async function stopWrites(tx: Transaction): Promise<void> {
  await tx.query(FENCE)
}

/**
 * Until the transaction ends, no projector writes and no erasure stops them. Data that projectors have read
 * stays valid, so the caller must not change anything that a fold reads.
 */
export async function shareWrites(tx: Transaction): Promise<void> {
  await tx.query(SHARE)
}

const SHARE = `
  SELECT FROM lease WHERE starts_with(name, 'projector:') ORDER BY length(name), name FOR SHARE`

/** The leases are locked in the same order as by projectors. */
const FENCE = `
  WITH held AS MATERIALIZED (
    SELECT name FROM lease WHERE starts_with(name, 'projector:') ORDER BY length(name), name FOR UPDATE
  )
  UPDATE lease SET epoch = epoch + 1 FROM held WHERE lease.name = held.name`
