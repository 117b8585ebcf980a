import 'server-only'
import type pg from 'pg'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { digestSecret } from '#lib/platform/keys/digests-and-seals.ts'
import { parseReceiverState, type ReceiverState, takesDeliveries } from '../rules/endpoint-states.ts'

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

/**
 * `markRotating` records that the secret may change at any moment. The present secret stays valid until then. The result is
 * false when the receiver holds the secret of another endpoint, which only its row says: two may have the same url.
 */
export async function markRotating(id: string, endpointUuid: string): Promise<boolean> {
  const { rowCount } = await pool().query(MARK_ROTATING, [id, endpointUuid])
  return rowCount === 1
}

const MARK_ROTATING = `
  INSERT INTO receiver (id, endpoint_uuid, state, updated_at) VALUES ($1, $2, 'rotating', now())
  ON CONFLICT (id) DO UPDATE SET endpoint_uuid = EXCLUDED.endpoint_uuid, state = EXCLUDED.state, updated_at = now()
  WHERE receiver.endpoint_uuid IS NULL OR receiver.endpoint_uuid = EXCLUDED.endpoint_uuid`

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

/** The service surely made no endpoint for this receiver, so its id can be used again. */
export async function forgetReceiver(id: string): Promise<void> {
  await pool().query(FORGET, [id])
}

const FORGET = `
  WITH gone AS (
    DELETE FROM receiver WHERE id = $1 AND state = 'pending' AND endpoint_uuid IS NULL RETURNING id
  )
  DELETE FROM receiver_period WHERE receiver_id IN (SELECT id FROM gone)`

/** A closed receiver accepts no deliveries any more. That of another endpoint stays open. */
export async function closeReceiver(id: string, endpointUuid: string): Promise<void> {
  await pool().query(closeStatement('id = $1 AND (endpoint_uuid IS NULL OR endpoint_uuid = $2)'), [
    id,
    endpointUuid,
  ])
}

/**
 * `markDeleting` runs before the service is asked to delete the endpoint. The intent is then recorded even if this process
 * dies. Returns a function that undoes the mark, but not one that an earlier deletion left.
 */
export async function markDeleting(endpointUuid: string): Promise<() => Promise<void>> {
  const marked = await prisma().receiver.updateManyAndReturn({
    where: { endpointUuid, state: 'active' },
    data: { state: 'deleting', updatedAt: new Date() },
    select: { id: true },
  })
  return async () => {
    await prisma().receiver.updateMany({
      where: { id: { in: marked.map(({ id }) => id) }, state: 'deleting' },
      data: { state: 'active', updatedAt: new Date() },
    })
  }
}

/** The endpoint was deleted, or its receivers other than `except` have a secret that is not valid any more. */
export async function closeReceiversOf(endpointUuid: string, except: string | null = null): Promise<void> {
  const which = 'endpoint_uuid = $1 AND id IS DISTINCT FROM $2::uuid'
  await pool().query(closeStatement(which), [endpointUuid, except])
}

/** The receiver gets no events after it is closed. */
const closeStatement = (which: string) => `
  WITH closed AS (
    UPDATE receiver SET state = 'closed', updated_at = now() WHERE ${which} AND state <> 'closed' RETURNING id
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

// A receiver period records which event types a receiver gets, and since when. Its recorded start is never later than the
// real one, and its recorded end never earlier.

/** An active endpoint that points here subscribes to these event types; null when it does not say. */
interface ReceiverEvents {
  readonly receiverId: string
  readonly subscribedEvents: readonly string[] | null
}

/** `beginPeriod` is for a new endpoint, to which nothing was ever sent. */
async function beginPeriod(receiverId: string, subscribedEvents: readonly string[] | null) {
  await pool().query(BEGIN, [receiverId, eventsOf({ receiverId, subscribedEvents })])
}

/**
 * `recordReceiving` records what the watcher sees. Between two rounds, a start is dated to the first round and an end to the
 * second. A receiver without a recorded start had an endpoint before, elsewhere: the result has the ids of these.
 */
export const recordReceiving = (client: pg.ClientBase, active: readonly ReceiverEvents[], now: number) =>
  record(client, [seenIn(active), new Date(now), null, null])

/** `recordReceivingOf` records the same of one receiver, whose endpoint was changed here at most `agoMs` ago. */
export const recordReceivingOf = (
  client: pg.ClientBase,
  receiverId: string,
  active: readonly ReceiverEvents[],
  agoMs: number,
) => record(client, [seenIn(active), null, receiverId, agoMs])

async function record(client: pg.ClientBase, values: readonly unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ receiver_id: string; elsewhere: boolean }>(RECORD, [...values])
  return rows.flatMap(({ receiver_id, elsewhere }) => (elsewhere ? [receiver_id] : []))
}

const seenIn = (active: readonly ReceiverEvents[]) =>
  JSON.stringify(active.map((one) => ({ receiver_id: one.receiverId, events: eventsOf(one) })))

const eventsOf = ({ subscribedEvents }: ReceiverEvents) =>
  subscribedEvents?.map(textParameter).toSorted() ?? ['*']

const BEGIN = `
  INSERT INTO receiver_period (receiver_id, began_at, events, last_seen_at) VALUES ($1, now(), $2, now())
  ON CONFLICT DO NOTHING`

/** When creating an endpoint was interrupted, the first round that sees the endpoint records its event types. */
const isFirstCheck =
  '(latest.ended_at IS NULL AND latest.last_seen_at = latest.began_at AND seen.events IS NOT NULL)'

/** The statement is for all receivers, or for $3 alone, whose period began $4 ms ago. */
const RECORD = `
  WITH look AS (SELECT COALESCE($2::timestamptz, now()) AS at), seen AS (
    SELECT receiver_id, array_agg(DISTINCT one ORDER BY one) AS events
    FROM json_to_recordset($1::json) AS s (receiver_id uuid, events text[]), unnest(events) AS one GROUP BY receiver_id
  ), latest AS (
    SELECT DISTINCT ON (receiver_id) receiver_id, began_at, ended_at, events, last_seen_at
    FROM receiver_period WHERE $3::uuid IS NULL OR receiver_id = $3 ORDER BY receiver_id, began_at DESC
  ), looked AS (
    UPDATE receiver_period p SET last_seen_at = look.at,
      events = CASE WHEN ${isFirstCheck} THEN seen.events ELSE p.events END,
      ended_at = CASE WHEN p.ended_at IS NULL AND seen.events IS DISTINCT FROM p.events AND NOT ${isFirstCheck} THEN look.at ELSE p.ended_at END
    FROM look, latest LEFT JOIN seen USING (receiver_id)
    WHERE p.receiver_id = latest.receiver_id AND p.began_at = latest.began_at
  )
  INSERT INTO receiver_period (receiver_id, began_at, events, last_seen_at)
  SELECT receiver_id,
         CASE WHEN latest.receiver_id IS NULL THEN '-infinity'
              ELSE COALESCE(look.at - $4::float8 * interval '1 ms', latest.last_seen_at) END,
         seen.events, look.at
  FROM look, seen LEFT JOIN latest USING (receiver_id)
  WHERE latest.receiver_id IS NULL OR latest.ended_at IS NOT NULL
     OR (latest.events <> seen.events AND latest.last_seen_at > latest.began_at)
  ON CONFLICT DO NOTHING
  RETURNING receiver_id, began_at = '-infinity' AS elsewhere`
