import 'server-only'
import type { QueryConfig } from 'pg'
import { finishing } from '#lib/queue/finish.ts'
import { puttingAgain, puttingBackLostAnswers } from '#lib/queue/put.ts'
import { changedChannel, changedPayloads } from './changed.ts'
import { deletionsOfRest } from './delete-rest.ts'
import type { SubjectChanges } from './project-subject.ts'

/** What one transaction writes. */
export interface Writing {
  readonly changes: readonly SubjectChanges[]
  /** Those of the changes that people watching are notified of; a rebuild goes on in silence. */
  readonly notify: readonly SubjectChanges[]
  /** Deliveries that are done. */
  readonly folded: readonly { readonly id: string; readonly run: string | null }[]
  /** Those of them whose answer was taken for sure. */
  readonly takenAsSure: readonly string[]
  /** Deliveries to be read from the log once more, with the run that found them under a wrong subject. */
  readonly again: readonly { readonly id: string; readonly run: string }[]
  /** When the last delivery came to each receiver, in ms since 1970. */
  readonly lastOnReceiver: ReadonlyMap<string, number>
}

export const nothingToWrite: Writing = {
  changes: [],
  notify: [],
  folded: [],
  takenAsSure: [],
  again: [],
  lastOnReceiver: new Map(),
}

/** The statements that write what changed, remove what is no longer pending, and notify, in this order. */
export function* statementsOf(writing: Writing): Generator<QueryConfig> {
  const { whole = [], changed = [] } = Object.groupBy(writing.changes, (one) =>
    one.whole ? 'whole' : 'changed',
  )
  yield* rowsOf(changed, '')
  // Of whole subjects every row is told: one that is the same already, to the bit, is left as it is.
  yield* rowsOf(whole, 'whole')
  yield* rowsBy('delete-events', DELETE_EVENTS, goneOf(writing.changes))
  yield* deletionsOfRest(whole)
  const receivers = [...writing.lastOnReceiver].map(([id, at]) => ({ id, at: new Date(at) }))
  yield* rowsBy('touch-receivers', TOUCH_RECEIVERS, receivers)
  yield* finishing(writing.folded)
  for (const [run, some] of Map.groupBy(writing.again, (delivery) => delivery.run))
    yield puttingAgain(
      some.map(({ id }) => id),
      run,
    )
  if (writing.takenAsSure.length > 0) yield puttingBackLostAnswers(writing.takenAsSure)
  const payloads = changedPayloads(writing.notify, Date.now())
  if (payloads.length > 0) yield { text: NOTIFY, values: [changedChannel, payloads] }
}

function* rowsOf(changes: readonly SubjectChanges[], how: '' | 'whole'): Generator<QueryConfig> {
  const upsert = (table: string, text: string, rows: readonly object[]) =>
    rowsBy(`upsert-${how}-${table}`, how === '' ? text : `${text} WHERE ${table}.* *<> EXCLUDED.*`, rows)
  yield* upsert(
    'event',
    UPSERT_EVENTS,
    changes.flatMap(({ events }) => events),
  )
  yield* upsert(
    'event_delivery',
    UPSERT_DELIVERIES,
    changes.flatMap(({ deliveries }) => deliveries),
  )
  yield* upsert(
    'transaction',
    UPSERT_TRANSACTIONS,
    changes.flatMap(({ transaction }) => transaction ?? []),
  )
  const moved = changes.flatMap(({ subjectId, startedAt }) =>
    startedAt === null ? [] : [{ subject_id: subjectId, started_at: startedAt }],
  )
  yield* rowsBy('move-identifiers', MOVE_IDENTIFIERS, moved)
  yield* rowsBy(
    'insert-identifiers',
    INSERT_IDENTIFIERS,
    changes.flatMap(({ identifiers }) => identifiers),
  )
}

/** Rows of one kind, as JSON parameters. */
function* rowsBy(name: string, text: string, rows: readonly object[]): Generator<QueryConfig> {
  for (const part of jsonParts(rows)) yield { name, text, values: [part] }
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

const goneOf = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, goneEvents }) => goneEvents.map((id) => ({ subject_id: subjectId, id })))

const DELETE_EVENTS = `
  DELETE FROM event USING json_to_recordset($1::json) AS gone (subject_id text, id uuid)
  WHERE event.subject_id = gone.subject_id AND event.id = gone.id`

/**
 * The body comes from the log. What retention dropped from there is still kept by the row itself, or by the row of
 * another event of the subject that said the same.
 */
const rowsOfEvents = `
  SELECT subject_id, id, fingerprint, type, sub_type, status, entity_uuid, position, rank, deliveries,
         first_received_at, last_received_at, placed_before, flags, unreadable,
         coalesce(
           (SELECT body FROM delivery WHERE delivery.id = e.body_of),
           (SELECT envelope FROM event WHERE event.subject_id = e.subject_id AND event.id = e.body_of),
           (SELECT envelope FROM event WHERE event.subject_id = e.subject_id AND event.fingerprint = e.fingerprint LIMIT 1)
         )
  FROM json_to_recordset($1::json) AS e (
    subject_id text, id uuid, fingerprint bytea, type text, sub_type text, status text, entity_uuid text,
    position int, rank smallint, deliveries int, first_received_at timestamptz, last_received_at timestamptz,
    placed_before timestamptz, flags text[], unreadable text, body_of uuid
  )`

const UPSERT_EVENTS = `
  INSERT INTO event ${rowsOfEvents}
  ON CONFLICT (subject_id, id) DO UPDATE SET
    fingerprint = EXCLUDED.fingerprint, type = EXCLUDED.type, sub_type = EXCLUDED.sub_type, status = EXCLUDED.status,
    entity_uuid = EXCLUDED.entity_uuid, position = EXCLUDED.position, rank = EXCLUDED.rank,
    deliveries = EXCLUDED.deliveries, first_received_at = EXCLUDED.first_received_at,
    last_received_at = EXCLUDED.last_received_at, placed_before = EXCLUDED.placed_before, flags = EXCLUDED.flags,
    unreadable = EXCLUDED.unreadable, envelope = EXCLUDED.envelope`

const UPSERT_DELIVERIES = `
  INSERT INTO event_delivery (subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason)
  SELECT * FROM json_to_recordset($1::json) AS d (
    subject_id text, delivery_id uuid, event_id uuid, seq bigint, received_at timestamptz,
    receiver_id uuid, answer text, reason jsonb
  )
  ON CONFLICT (subject_id, delivery_id) DO UPDATE SET
    event_id = EXCLUDED.event_id, seq = EXCLUDED.seq, received_at = EXCLUDED.received_at,
    receiver_id = EXCLUDED.receiver_id, answer = EXCLUDED.answer, reason = EXCLUDED.reason`

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
    finished_at = EXCLUDED.finished_at`

/** Without a key to conflict with: nobody else writes these subjects meanwhile. */
const INSERT_IDENTIFIERS = `
  INSERT INTO identifier (subject_id, value, started_at)
  SELECT subject_id, value, started_at
  FROM json_to_recordset($1::json) AS i (subject_id text, value text, started_at timestamptz)
  WHERE NOT EXISTS (
    SELECT FROM identifier WHERE identifier.subject_id = i.subject_id AND identifier.value = i.value
  )`

const MOVE_IDENTIFIERS = `
  UPDATE identifier SET started_at = moved.started_at
  FROM json_to_recordset($1::json) AS moved (subject_id text, started_at timestamptz)
  WHERE identifier.subject_id = moved.subject_id AND identifier.started_at <> moved.started_at`

const TOUCH_RECEIVERS = `
  UPDATE receiver SET last_delivery_at = seen.at
  FROM json_to_recordset($1::json) AS seen (id uuid, at timestamptz)
  WHERE receiver.id = seen.id AND (last_delivery_at IS NULL OR last_delivery_at < seen.at)`

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'
