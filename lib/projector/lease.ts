import 'server-only'
import crypto from 'node:crypto'
import type pg from 'pg'

/** The right to project, as long as nobody took it over: every write checks `epoch`. */
export interface Lease {
  readonly holder: string
  readonly epoch: bigint
}

/** Milliseconds for which a lease is good; its holder renews it several times meanwhile. */
export const leaseTime = 1_400

export const newHolder = () => crypto.randomUUID()

/**
 * Takes the lease when it is free, has run out, or is this holder's own, with a new epoch in any case; null while another
 * holds it. One that is good for twice as long as any lease was made before the database's clock went back.
 */
export async function acquireLease(pool: pg.Pool, holder: string): Promise<Lease | null> {
  const { rows } = await pool.query<{ epoch: bigint }>(ACQUIRE, [holder, leaseTime])
  return rows[0] ? { holder, epoch: rows[0].epoch } : null
}

/**
 * Renews the lease and locks it until the transaction ends, so that nobody can take it over in between. False when
 * another has it: nothing may be written any more.
 */
export async function renewLease(client: pg.ClientBase | pg.Pool, lease: Lease): Promise<boolean> {
  const { rowCount } = await client.query(RENEW, [lease.holder, lease.epoch, leaseTime])
  return rowCount === 1
}

/** Lets another projector begin at once. */
export async function releaseLease(pool: pg.Pool, lease: Lease): Promise<void> {
  await pool.query(RELEASE, [lease.holder, lease.epoch])
}

const ACQUIRE = `
  INSERT INTO lease AS held (name, holder, epoch, expires_at)
  VALUES ('projector', $1, 1, clock_timestamp() + $2 * interval '1 ms')
  ON CONFLICT (name) DO UPDATE
  SET holder = EXCLUDED.holder, epoch = held.epoch + 1, expires_at = EXCLUDED.expires_at
  WHERE held.holder = $1
    OR held.expires_at NOT BETWEEN clock_timestamp() AND clock_timestamp() + 2 * $2 * interval '1 ms'
  RETURNING epoch`

const RENEW = `
  UPDATE lease SET expires_at = clock_timestamp() + $3 * interval '1 ms'
  WHERE name = 'projector' AND holder = $1 AND epoch = $2`

const RELEASE = `
  UPDATE lease SET expires_at = clock_timestamp() - interval '1 ms'
  WHERE name = 'projector' AND holder = $1 AND epoch = $2`
