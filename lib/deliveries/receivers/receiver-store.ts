import 'server-only'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { digestSecret } from '#lib/platform/keys/secret-digest.ts'
import { parseReceiverState, type ReceiverState, takesDeliveries } from '../rules/endpoint-states.ts'
import { beginPeriod } from './receiver-periods.ts'

/**
 * A new receiver, before the service is asked for anything; one for an endpoint that is still to be made gets these
 * types from now on. False when the id was used before.
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

/**
 * Marks the receiver as rotating: the secret may change at any moment; the present one stays valid until
 * then.
 */
export async function markRotating(id: string, endpointUuid: string): Promise<void> {
  const expecting = { endpointUuid, state: 'rotating', updatedAt: new Date() }
  await prisma().receiver.upsert({ where: { id }, create: { id, ...expecting }, update: expecting })
}

/** Keeps the digest of the secret, and nothing else of it. */
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

/** No delivery is taken at this address any more. */
export async function closeReceiver(id: string): Promise<void> {
  await pool().query(closeStatement('id'), [id])
}

/**
 * Called before the service is asked to delete the endpoint: if this process dies in between, the intent is
 * recorded.
 */
export async function markDeleting(endpointUuid: string): Promise<void> {
  await prisma().receiver.updateMany({
    where: { endpointUuid, state: 'active' },
    data: { state: 'deleting', updatedAt: new Date() },
  })
}

/** For an endpoint that was deleted, or whose secret is no longer known here. */
export async function closeReceiversOf(endpointUuid: string): Promise<void> {
  await pool().query(closeStatement('endpoint_uuid'), [endpointUuid])
}

/** From that moment on the receiver gets no events. */
const closeStatement = (column: 'id' | 'endpoint_uuid') => `
  WITH closed AS (
    UPDATE receiver SET state = 'closed', updated_at = now() WHERE ${column} = $1::uuid AND state <> 'closed' RETURNING id
  )
  UPDATE receiver_period SET ended_at = now(), last_seen_at = now()
  WHERE ended_at IS NULL AND receiver_id IN (SELECT id FROM closed)`

/** The receiver of an id, as a url names it; null elsewhere and when nothing is known of it. */
export async function findReceiver(id: string | null) {
  return id === null ? null : prisma().receiver.findUnique({ where: { id } })
}

/**
 * Like `findReceiver`, but null when the receiver is closed. Also recognises an earlier public address of
 * this dashboard.
 */
export async function findOpenReceiver(id: string | null) {
  const receiver = await findReceiver(id)
  return receiver && takesDeliveries(parseReceiverState(receiver.state)) ? receiver : null
}
