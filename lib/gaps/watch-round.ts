import 'server-only'
import type pg from 'pg'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { closeAbandoned } from '#lib/endpoints/close-abandoned.ts'
import { settleCreations } from '#lib/endpoints/handover-store.ts'
import { listEndpoints } from '#lib/service/webhook-endpoints.ts'
import { service } from '#lib/service-connection.ts'
import { endpointEvidence } from './endpoint-evidence.ts'
import { recordEvidence } from './record-evidence.ts'
import { refusedEvidence } from './refused-evidence.ts'
import { silenceEvidence } from './silence-evidence.ts'

/** Milliseconds for which a watcher is good: it answers for its endpoints, its writes, and the pause until its next round. */
const leaseTime = 150_000

/**
 * Looks once whether deliveries may be missing, and writes what it found. False when another watcher does that now.
 * Without an answer of the service nothing is known of its endpoints, so their gaps stay as they are. With one, what a
 * change of an endpoint left behind when it was interrupted is ended as well, without waiting for somebody to look.
 */
export async function watchRound(pool: pg.Pool, holder: string): Promise<boolean> {
  const { rows } = await pool.query<{ epoch: bigint }>(TAKE, [holder, leaseTime])
  const epoch = rows[0]?.epoch
  if (epoch === undefined) return false
  const endpoints = await listEndpoints(service()).catch(() => null)
  const listedAt = new Date()
  const kept = await inTransaction(pool, async (client) => {
    const held = await client.query<{ now: Date }>(HOLD, [holder, epoch])
    const now = held.rows[0]?.now.getTime()
    if (now === undefined) return false
    await recordEvidence(client, 'refused', await refusedEvidence(client, now), now)
    if (!endpoints) return true
    const found = await endpointEvidence(client, endpoints, now)
    await recordEvidence(client, 'disabled', found.disabled, now)
    await recordEvidence(client, 'auto-disabled', found['auto-disabled'], now)
    await recordEvidence(client, 'silent', await silenceEvidence(client, found.active, now), now)
    return true
  })
  if (kept && endpoints) {
    await closeAbandoned(endpoints, listedAt)
    await settleCreations(endpoints, listedAt)
  }
  return kept
}

/** Lets another watcher begin at once. */
export async function endWatch(pool: pg.Pool, holder: string): Promise<void> {
  await pool.query(`DELETE FROM lease WHERE name = 'watcher' AND holder = $1`, [holder])
}

/** One watcher for all processes. The epoch tells one that was frozen that another has taken over. */
const TAKE = `
  INSERT INTO lease AS held (name, holder, epoch, expires_at)
  VALUES ('watcher', $1, 1, clock_timestamp() + $2 * interval '1 ms')
  ON CONFLICT (name) DO UPDATE
  SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at,
      epoch = CASE WHEN held.holder = EXCLUDED.holder THEN held.epoch ELSE held.epoch + 1 END
  WHERE held.holder = EXCLUDED.holder OR held.expires_at < clock_timestamp()
  RETURNING epoch`

const HOLD = `
  SELECT clock_timestamp() AS now FROM lease
  WHERE name = 'watcher' AND holder = $1 AND epoch = $2 FOR UPDATE`
