import 'server-only'
import type pg from 'pg'
import { changedChannel, changedPayloads } from './changed.ts'
import { deleteRest } from './delete-rest.ts'
import { type Lease, leaseTime, renewLease } from './lease.ts'
import type { SubjectChanges } from './project-subject.ts'

/** Another projector holds the lease. */
export class LeaseLost extends Error {}

/** What one transaction makes of some pending deliveries. */
export interface Batch {
  readonly changes: readonly SubjectChanges[]
  /** Those of the changes that people watching are told of; a rebuild goes on in silence. */
  readonly told: readonly SubjectChanges[]
  /** Deliveries that are done. */
  readonly folded: readonly { readonly id: string; readonly rebuild: string | null }[]
  /** Those of them whose answer was taken for sure. */
  readonly takenAsSure: readonly string[]
  readonly lastOnReceiver: ReadonlyMap<string, number>
}

/** Writes what changed, removes what is no longer pending, and tells it, in one transaction. Throws `LeaseLost`. */
export function writeChanges(pool: pg.Pool, lease: Lease, batch: Batch): Promise<void> {
  return underLease(pool, lease, async (client) => {
    const { changes } = batch
    await write(client, DELETE_EVENTS, gone(changes))
    await deleteRest(
      client,
      changes.filter(({ whole }) => whole),
    )
    await write(
      client,
      UPSERT_EVENTS,
      changes.flatMap(({ events }) => events),
    )
    await write(
      client,
      UPSERT_DELIVERIES,
      changes.flatMap(({ deliveries }) => deliveries),
    )
    await write(
      client,
      UPSERT_TRANSACTIONS,
      changes.flatMap(({ transaction }) => transaction ?? []),
    )
    await write(
      client,
      UPSERT_IDENTIFIERS,
      changes.flatMap(({ identifiers }) => identifiers),
    )
    await write(
      client,
      TOUCH_RECEIVERS,
      [...batch.lastOnReceiver].map(([id, at]) => ({ id, at: new Date(at) })),
    )
    // What a rebuild marked after it was taken stays.
    for (const [rebuild, folded] of Map.groupBy(batch.folded, (delivery) => delivery.rebuild))
      await client.query(DELETE_PENDING, [folded.map(({ id }) => id), rebuild])
    await client.query(PEND_AGAIN, [batch.takenAsSure])
    const payloads = changedPayloads(batch.told, Date.now())
    await client.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
      changedChannel,
      payloads,
    ])
  })
}

/** Puts deliveries that cannot be folded aside, where they are seen and wait for a fix. Throws `LeaseLost`. */
export function setAside(
  pool: pg.Pool,
  lease: Lease,
  deliveryIds: readonly string[],
  error: string,
): Promise<void> {
  return underLease(pool, lease, async (client) => {
    await client.query(
      'UPDATE delivery_pending SET set_aside_at = clock_timestamp(), error = $2 WHERE delivery_id = ANY($1::uuid[])',
      [deliveryIds, error],
    )
  })
}

/**
 * A transaction in which the lease is ours from beginning to end. Should this process freeze inside, the database
 * ends it after a second, so that a frozen holder keeps nobody waiting; how long a statement may take is not limited
 * by what the database is set to, since no repetition would make it quicker. Nothing here is lost by a crash of the database
 * that has not been told to the disk yet: what it undoes is pending again.
 */
async function underLease(pool: pg.Pool, lease: Lease, work: (client: pg.PoolClient) => Promise<void>) {
  const client = await pool.connect()
  let spoilt = true
  try {
    await client.query(
      `BEGIN; SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = 0;
       SET LOCAL idle_in_transaction_session_timeout = ${leaseTime - 500}`,
    )
    if (!(await renewLease(client, lease))) throw new LeaseLost('Another projector has taken over')
    await work(client)
    await client.query('COMMIT')
    spoilt = false
  } catch (error) {
    spoilt = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    )
    throw error
  } finally {
    client.release(spoilt)
  }
}

/** Rows of one kind, as JSON parameters. */
async function write(client: pg.PoolClient, statement: string, rows: readonly object[]) {
  for (const part of jsonParts(rows)) await client.query(statement, [part])
}

/** Characters of one parameter: a large subject, whole, would not fit into one string. */
const mostCharacters = 8 * 1024 * 1024

function* jsonParts(rows: readonly object[]) {
  let part: string[] = []
  let size = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (part.length > 0 && size + text.length > mostCharacters) {
      yield `[${part.join()}]`
      part = []
      size = 0
    }
    part.push(text)
    size += text.length
  }
  if (part.length > 0) yield `[${part.join()}]`
}

const gone = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, goneEvents }) => goneEvents.map((id) => ({ subject_id: subjectId, id })))

const DELETE_EVENTS = `
  DELETE FROM event USING json_to_recordset($1::json) AS gone (subject_id text, id uuid)
  WHERE event.subject_id = gone.subject_id AND event.id = gone.id`

const DELETE_PENDING =
  'DELETE FROM delivery_pending WHERE delivery_id = ANY($1::uuid[]) AND rebuild IS NOT DISTINCT FROM $2'

// A row that is the same already, to the bit, is left as it is: a rebuild tells every row.

const UPSERT_EVENTS = `
  INSERT INTO event
  SELECT * FROM json_to_recordset($1::json) AS e (
    subject_id text, id uuid, fingerprint bytea, type text, sub_type text, status text, entity_uuid text,
    position int, rank smallint, deliveries int, first_received_at timestamptz, last_received_at timestamptz,
    placed_before timestamptz, flags text[], unreadable text, envelope bytea
  )
  ON CONFLICT (subject_id, id) DO UPDATE SET
    fingerprint = EXCLUDED.fingerprint, type = EXCLUDED.type, sub_type = EXCLUDED.sub_type, status = EXCLUDED.status,
    entity_uuid = EXCLUDED.entity_uuid, position = EXCLUDED.position, rank = EXCLUDED.rank,
    deliveries = EXCLUDED.deliveries, first_received_at = EXCLUDED.first_received_at,
    last_received_at = EXCLUDED.last_received_at, placed_before = EXCLUDED.placed_before, flags = EXCLUDED.flags,
    unreadable = EXCLUDED.unreadable, envelope = EXCLUDED.envelope
  WHERE event.* *<> EXCLUDED.*`

const UPSERT_DELIVERIES = `
  INSERT INTO event_delivery
  SELECT * FROM json_to_recordset($1::json) AS d (
    subject_id text, delivery_id uuid, event_id uuid, fingerprint bytea, seq bigint, received_at timestamptz,
    receiver_id uuid, answer text, reason jsonb
  )
  ON CONFLICT (subject_id, delivery_id) DO UPDATE SET
    event_id = EXCLUDED.event_id, fingerprint = EXCLUDED.fingerprint, seq = EXCLUDED.seq,
    received_at = EXCLUDED.received_at, receiver_id = EXCLUDED.receiver_id, answer = EXCLUDED.answer,
    reason = EXCLUDED.reason
  WHERE event_delivery.* *<> EXCLUDED.*`

const UPSERT_TRANSACTIONS = `
  INSERT INTO transaction
  SELECT * FROM json_to_recordset($1::json) AS t (
    subject_id text, uuid text, direction text, step text, reason text, amount_fiat numeric, amount_crypto numeric,
    amount_refunded numeric, fees numeric, limit_amount numeric, currency_fiat text, currency_crypto text, chain text,
    transaction_hash text, user_uuid text, details jsonb, flags text[], started_at timestamptz,
    last_move_at timestamptz, finished_at timestamptz
  )
  ON CONFLICT (subject_id) DO UPDATE SET
    uuid = EXCLUDED.uuid, direction = EXCLUDED.direction, step = EXCLUDED.step, reason = EXCLUDED.reason,
    amount_fiat = EXCLUDED.amount_fiat, amount_crypto = EXCLUDED.amount_crypto,
    amount_refunded = EXCLUDED.amount_refunded, fees = EXCLUDED.fees, limit_amount = EXCLUDED.limit_amount,
    currency_fiat = EXCLUDED.currency_fiat, currency_crypto = EXCLUDED.currency_crypto, chain = EXCLUDED.chain,
    transaction_hash = EXCLUDED.transaction_hash, user_uuid = EXCLUDED.user_uuid, details = EXCLUDED.details,
    flags = EXCLUDED.flags, started_at = EXCLUDED.started_at, last_move_at = EXCLUDED.last_move_at,
    finished_at = EXCLUDED.finished_at
  WHERE transaction.* *<> EXCLUDED.*`

const UPSERT_IDENTIFIERS = `
  INSERT INTO identifier
  SELECT * FROM json_to_recordset($1::json) AS i (subject_id text, kind text, value text, reversed text)
  ON CONFLICT (subject_id, kind, value) DO UPDATE SET reversed = EXCLUDED.reversed
  WHERE identifier.reversed <> EXCLUDED.reversed`

const TOUCH_RECEIVERS = `
  UPDATE receiver SET last_delivery_at = seen.at
  FROM json_to_recordset($1::json) AS seen (id uuid, at timestamptz)
  WHERE receiver.id = seen.id AND (last_delivery_at IS NULL OR last_delivery_at < seen.at)`

/** An answer can turn out lost between our reading it and this transaction's end. */
const PEND_AGAIN = `
  INSERT INTO delivery_pending (delivery_id)
  SELECT delivery_id FROM answer_lost WHERE delivery_id = ANY($1::uuid[])
  ON CONFLICT DO NOTHING`
