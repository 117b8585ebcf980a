import 'server-only'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import type { GapKind } from '../rules/gaps.ts'
import { recordRefusals } from './record-refusals.ts'

/**
 * Ends the gaps of an endpoint whose cause a change made here has ended, in the transaction of `tx`: it is active now, gone, or
 * delivers elsewhere. No round of the watcher lies between, in which a page would say that nothing is delivered to it.
 */
export const endGapsOfEndpoint = (tx: Transaction, endpointUuid: string): Promise<void> =>
  end(tx, ['disabled', 'auto-disabled'], endpointUuid.toLowerCase())

/** The same for a refused API key, once the service has taken another. */
export const endGapsOfKey = (tx: Transaction): Promise<void> => end(tx, ['key-refused'], '')

/** The same for refused deliveries, once a receiver has another secret or takes none any more. */
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
