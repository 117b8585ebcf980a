import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'
import type { Transaction } from './in-transaction.ts'
import { planOnce } from './statements.ts'

/**
 * A lease is the right to do something that only one process may do, such as folding a shard. A process that takes it over
 * raises `epoch`, so writes of the earlier holder under its own epoch are refused.
 */
export interface Lease {
  readonly name: string
  readonly holder: string
  readonly epoch: bigint
}

/**
 * The SQL condition says that a lease of another holder is valid. A lease that is valid for more than twice `goodFor` was
 * made before the database's clock went back, and counts as expired.
 * @param goodFor the milliseconds that its holder uses, or their parameter
 * @param lease the name or alias of its table
 */
export const isLeaseGood = (goodFor: number | `$${number}`, lease = 'lease') =>
  `(${lease}.expires_at BETWEEN clock_timestamp() AND clock_timestamp() + 2 * ${goodFor} * interval '1 ms')`

/** A holder is a new name for this process, or for a part of it. */
export const newHolder = () => crypto.randomUUID()

/**
 * `acquireLeases` acquires those leases that are free, expired, or already held by this holder, each with a new epoch. It
 * reads first: a valid lease of another holder is neither locked nor written.
 * @param goodFor milliseconds
 */
export async function acquireLeases(
  database: pg.ClientBase | pg.Pool,
  names: readonly string[],
  holder: string,
  goodFor: number,
): Promise<Lease[]> {
  if (names.length === 0) return []
  const { rows } = await database.query<{ name: string; epoch: bigint }>(ACQUIRE, [names, holder, goodFor])
  return rows.map(({ name, epoch }) => ({ name, holder, epoch }))
}

/**
 * `renewLeases` renews this holder's leases and locks them until the transaction ends, so that no other process can take one
 * over. It returns false when another process holds one of them, and then nothing may be written.
 */
export async function renewLeases(
  client: pg.ClientBase | pg.Pool,
  leases: readonly Lease[],
  goodFor: number,
): Promise<boolean> {
  const { rowCount } = await client.query({ ...RENEW, values: [...columns(leases), goodFor] })
  return rowCount === leases.length
}

/** A released lease can be acquired by another process at once. */
export async function releaseLeases(
  database: pg.ClientBase | pg.Pool,
  leases: readonly Lease[],
): Promise<void> {
  if (leases.length > 0) await database.query(RELEASE, columns(leases))
}

/** `deleteLease` removes the row, where an expired lease would still have a meaning. */
export async function deleteLease(database: pg.ClientBase | pg.Pool, name: string): Promise<void> {
  await database.query('DELETE FROM lease WHERE name = $1', [name])
}

/**
 * `sweepLeases` deletes leases with this prefix that expired an hour ago. Names that are new for every process would
 * otherwise accumulate.
 */
export async function sweepLeases(database: pg.ClientBase | pg.Pool, prefix: string): Promise<void> {
  await database.query(
    `DELETE FROM lease WHERE starts_with(name, $1) AND expires_at < clock_timestamp() - interval '1 hour'`,
    [prefix],
  )
}

const columns = (leases: readonly Lease[]) => [
  leases.map(({ name }) => name),
  leases.map(({ holder }) => holder),
  leases.map(({ epoch }) => epoch),
]

const ACQUIRE = `
  INSERT INTO lease AS held (name, holder, epoch, expires_at)
  SELECT wanted.name, $2::uuid, 1, clock_timestamp() + $3 * interval '1 ms'
  FROM unnest($1::text[]) AS wanted (name)
  WHERE NOT EXISTS (SELECT FROM lease WHERE lease.name = wanted.name AND holder <> $2 AND ${isLeaseGood('$3')})
  ORDER BY length(wanted.name), wanted.name
  ON CONFLICT (name) DO UPDATE
  SET holder = EXCLUDED.holder, epoch = held.epoch + 1, expires_at = EXCLUDED.expires_at
  WHERE held.holder = $2 OR NOT ${isLeaseGood('$3', 'held')}
  RETURNING name, epoch`

const MINE = 'FROM unnest($1::text[], $2::uuid[], $3::bigint[]) AS mine (name, holder, epoch)'
const isMine = 'lease.name = mine.name AND lease.holder = mine.holder AND lease.epoch = mine.epoch'

const RENEW = planOnce(`
  UPDATE lease SET expires_at = clock_timestamp() + $4 * interval '1 ms' ${MINE} WHERE ${isMine}`)

const RELEASE = `
  UPDATE lease SET expires_at = clock_timestamp() - interval '1 ms' ${MINE} WHERE ${isMine}`

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
