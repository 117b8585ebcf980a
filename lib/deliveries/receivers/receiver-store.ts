import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { digestSecret } from '#lib/platform/keys/digests-and-seals.ts'
import { parseReceiverState, type ReceiverState, takesDeliveries } from '../rules/endpoint-states.ts'
import { beginPeriod } from './receiver-periods.ts'

/**
 * `addReceiver` creates a receiver before the service is asked for anything. With no endpoint yet, it gets these event types
 * from now on. The result is false when the id was used before.
 */
export async function addReceiver(
  id: string,
  endpointUuid: string | null,
  subscribedEvents: readonly string[] | null = null,
): Promise<boolean> {
  const added = await prisma().receiver.createMany({
    data: [{ id, endpointUuid, state: 'pending' }],
    skipDuplicates: true,
  })
  if (added.count === 1 && endpointUuid === null) await beginPeriod(id, subscribedEvents)
  return added.count === 1
}

/** `markRotating` records that the secret may change at any moment. The present secret stays valid until then. */
export async function markRotating(id: string, endpointUuid: string): Promise<void> {
  const expecting = { endpointUuid, state: 'rotating', updatedAt: new Date() }
  await prisma().receiver.upsert({ where: { id }, create: { id, ...expecting }, update: expecting })
}

/** The database keeps the digest of the secret, and never the secret. */
export async function saveSecretDigest(
  id: string,
  endpointUuid: string,
  signingSecret: string,
): Promise<void> {
  const { digest, keyId } = digestSecret(signingSecret)
  await prisma().receiver.update({
    where: { id },
    data: {
      endpointUuid,
      state: 'active',
      secretDigest: new Uint8Array(digest),
      secretKeyId: keyId,
      updatedAt: new Date(),
    },
  })
}

export async function setReceiverState(id: string, state: ReceiverState): Promise<void> {
  await prisma().receiver.updateMany({ where: { id }, data: { state, updatedAt: new Date() } })
}

/** A closed receiver accepts no deliveries any more. */
export async function closeReceiver(id: string): Promise<void> {
  await pool().query(closeStatement('id'), [id])
}

/**
 * `markDeleting` runs before the service is asked to delete the endpoint. The intent is then recorded even if this process
 * dies.
 */
export async function markDeleting(endpointUuid: string): Promise<void> {
  await prisma().receiver.updateMany({
    where: { endpointUuid, state: 'active' },
    data: { state: 'deleting', updatedAt: new Date() },
  })
}

/** The endpoint was deleted, or its secret is not known here any more. */
export async function closeReceiversOf(endpointUuid: string): Promise<void> {
  await pool().query(closeStatement('endpoint_uuid'), [endpointUuid])
}

/** The receiver gets no events after it is closed. */
const closeStatement = (column: 'id' | 'endpoint_uuid') => `
  WITH closed AS (
    UPDATE receiver SET state = 'closed', updated_at = now() WHERE ${column} = $1::uuid AND state <> 'closed' RETURNING id
  )
  UPDATE receiver_period SET ended_at = now(), last_seen_at = now()
  WHERE ended_at IS NULL AND receiver_id IN (SELECT id FROM closed)`

/** `findReceiver` finds the receiver of an id in a url; null without an id or a row. */
export async function findReceiver(id: string | null) {
  return id === null ? null : prisma().receiver.findUnique({ where: { id } })
}

/**
 * `findOpenReceiver` is null when the receiver is closed. The id also recognises an earlier public address of this
 * dashboard.
 */
export async function findOpenReceiver(id: string | null) {
  const receiver = await findReceiver(id)
  return receiver && takesDeliveries(parseReceiverState(receiver.state)) ? receiver : null
}
