import 'server-only'
import { changedChannel, changedPayloads } from './changed.ts'
import { deletionsOfRest } from './delete-rest.ts'
import type { SubjectChanges } from './project-subject.ts'

/** What a connection takes. */
export interface Statement {
  readonly text: string
  readonly values: unknown[]
}

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

/** The statements that write what changed, remove what is no longer pending, and tell it, in this order. */
export function* statementsOf(batch: Batch): Generator<Statement> {
  const { changes } = batch
  yield* rowsBy(DELETE_EVENTS, gone(changes))
  yield* deletionsOfRest(changes.filter(({ whole }) => whole))
  yield* rowsBy(
    UPSERT_EVENTS,
    changes.flatMap(({ events }) => events),
  )
  yield* rowsBy(
    UPSERT_DELIVERIES,
    changes.flatMap(({ deliveries }) => deliveries),
  )
  yield* rowsBy(
    UPSERT_TRANSACTIONS,
    changes.flatMap(({ transaction }) => transaction ?? []),
  )
  yield* rowsBy(
    UPSERT_IDENTIFIERS,
    changes.flatMap(({ identifiers }) => identifiers),
  )
  yield* rowsBy(
    TOUCH_RECEIVERS,
    [...batch.lastOnReceiver].map(([id, at]) => ({ id, at: new Date(at) })),
  )
  // What a rebuild marked after it was taken stays.
  for (const [rebuild, folded] of Map.groupBy(batch.folded, (delivery) => delivery.rebuild))
    yield { text: DELETE_PENDING, values: [folded.map(({ id }) => id), rebuild] }
  yield { text: PEND_AGAIN, values: [batch.takenAsSure] }
  yield { text: NOTIFY, values: [changedChannel, changedPayloads(batch.told, Date.now())] }
}

/** Rows of one kind, as JSON parameters. */
function* rowsBy(text: string, rows: readonly object[]): Generator<Statement> {
  for (const part of jsonParts(rows)) yield { text, values: [part] }
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

/** Without a key to conflict with: nobody else writes these subjects meanwhile. */
const UPSERT_IDENTIFIERS = `
  WITH told AS (
    SELECT * FROM json_to_recordset($1::json) AS i (subject_id text, value text, started_at timestamptz)
  ), moved AS (
    UPDATE identifier SET started_at = told.started_at FROM told
    WHERE identifier.subject_id = told.subject_id AND identifier.value = told.value
      AND identifier.started_at <> told.started_at
  )
  INSERT INTO identifier (subject_id, value, started_at)
  SELECT subject_id, value, started_at FROM told
  WHERE NOT EXISTS (
    SELECT FROM identifier WHERE identifier.subject_id = told.subject_id AND identifier.value = told.value
  )`

const TOUCH_RECEIVERS = `
  UPDATE receiver SET last_delivery_at = seen.at
  FROM json_to_recordset($1::json) AS seen (id uuid, at timestamptz)
  WHERE receiver.id = seen.id AND (last_delivery_at IS NULL OR last_delivery_at < seen.at)`

/** An answer can turn out lost between our reading it and this transaction's end. */
const PEND_AGAIN = `
  INSERT INTO delivery_pending (delivery_id)
  SELECT delivery_id FROM answer_lost WHERE delivery_id = ANY($1::uuid[])
  ON CONFLICT DO NOTHING`

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'
