import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import type { GapKind } from '../rules/gaps.ts'
import { recordRefusals } from './record-refusals.ts'

/**
 * A change made here ended the cause of these gaps: the endpoint is active, gone, or delivers elsewhere. They end
 * in the transaction `tx`, so no page says until the next round that the endpoint receives nothing.
 */
export const endGapsOfEndpoint = (tx: Transaction, endpointUuid: string): Promise<void> =>
  end(tx, ['disabled', 'auto-disabled'], endpointUuid.toLowerCase())

/** Gaps of a refused API key end once the service has accepted another key. */
export const endGapsOfKey = (tx: Transaction): Promise<void> => end(tx, ['key-refused'], '')

/** Gaps of refused deliveries end once a receiver has another secret, or accepts no deliveries any more. */
export async function endRefusals(tx: Transaction): Promise<void> {
  const { rows } = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  await recordRefusals(tx, rows[0]?.now.getTime() ?? Date.now())
}

async function end(tx: Transaction, kinds: readonly GapKind[], about: string) {
  await tx.query(`SELECT pg_advisory_xact_lock(${advisoryLocks.gaps})`)
  await tx.query(END, [kinds, about])
}

const END = `
  UPDATE gap SET ended_at = GREATEST(began_at, clock_timestamp())
  WHERE kind = ANY($1::text[]) AND about = $2 AND ended_at IS NULL`
