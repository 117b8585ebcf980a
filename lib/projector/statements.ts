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
  if (whole.length > 0) yield* [BY_HASH, ...deletionsOfRest(whole), BY_INDEX]
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
  const upsert = (table: Table, rows: readonly object[]) =>
    rowsBy(`upsert-${how}-${table.name}`, how === '' ? upsertOf(table) : upsertWholeOf(table), rows)
  yield* upsert(
    event,
    changes.flatMap(({ events }) => events),
  )
  yield* upsert(
    eventDelivery,
    changes.flatMap(({ deliveries }) => deliveries),
  )
  yield* upsert(
    transaction,
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

/** What stays of a subject is a list without an index, of which the planner does not know how long it is. */
const BY_HASH: QueryConfig = { text: 'SET LOCAL enable_hashjoin = on; SET LOCAL enable_nestloop = off' }
const BY_INDEX: QueryConfig = { text: 'SET LOCAL enable_nestloop = on' }

const DELETE_EVENTS = `
  DELETE FROM event USING json_to_recordset($1::json) AS gone (subject_id text, id uuid)
  WHERE event.subject_id = gone.subject_id AND event.id = gone.id`

/** A table that a fold makes, its columns with their types. */
interface Table {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, string>>
  /** A further column that is not in the rows, and what it is to be where a row is written whole. */
  readonly kept?: readonly [column: string, sql: string]
}

const event: Table = {
  name: 'event',
  key: ['subject_id', 'id'],
  columns: {
    subject_id: 'text',
    id: 'uuid',
    fingerprint: 'bytea',
    type: 'text',
    sub_type: 'text',
    status: 'text',
    entity_uuid: 'text',
    position: 'int',
    rank: 'smallint',
    deliveries: 'int',
    first_received_at: 'timestamptz',
    last_received_at: 'timestamptz',
    placed_before: 'timestamptz',
    flags: 'text[]',
    unreadable: 'text',
  },
  // A body that retention dropped from the log was kept by the row itself, or by that of another event of the subject
  // that said the same.
  kept: [
    'envelope',
    `CASE WHEN NOT EXISTS (SELECT FROM delivery WHERE delivery.id = given.id) THEN (
      SELECT envelope FROM event
      WHERE event.subject_id = given.subject_id AND envelope IS NOT NULL
        AND (event.id = given.id OR event.fingerprint = given.fingerprint)
      ORDER BY event.id = given.id DESC LIMIT 1
    ) END`,
  ],
}

const eventDelivery: Table = {
  name: 'event_delivery',
  key: ['subject_id', 'delivery_id'],
  columns: {
    subject_id: 'text',
    delivery_id: 'uuid',
    event_id: 'uuid',
    seq: 'bigint',
    received_at: 'timestamptz',
    receiver_id: 'uuid',
    answer: 'text',
    reason: 'jsonb',
    others: 'smallint',
    evidence: 'jsonb',
  },
}

const transaction: Table = {
  name: 'transaction',
  key: ['subject_id'],
  columns: {
    subject_id: 'text',
    uuid: 'text',
    direction: 'text',
    step: 'text',
    reason: 'text',
    amount_fiat: 'numeric',
    amount_crypto: 'numeric',
    amount_refunded: 'numeric',
    fees: 'numeric',
    limit_amount: 'numeric',
    currency_fiat: 'text',
    currency_crypto: 'text',
    chain: 'text',
    transaction_hash: 'text',
    user_uuid: 'text',
    details: 'jsonb',
    flags: 'text[]',
    started_at: 'timestamptz',
    last_move_at: 'timestamptz',
    finished_at: 'timestamptz',
  },
}

/** For rows that are known to have changed. */
const upsertOf = ({ name, key, columns }: Table) => insertOf(name, key, columns, [])

/**
 * For all rows of a subject: one that is the same already, to the bit, is left as it is. It is looked for first, since a
 * row that conflicts is locked, and so written, even when it is then left alone.
 */
const upsertWholeOf = ({ name, key, columns, kept }: Table) =>
  `${insertOf(name, key, columns, kept ? [kept] : [], true)} WHERE ${name}.* *<> EXCLUDED.*`

function insertOf(
  table: string,
  key: readonly string[],
  columns: Readonly<Record<string, string>>,
  more: readonly (readonly [column: string, sql: string])[],
  unlessSame = false,
): string {
  const names = Object.keys(columns)
  const all = [...names, ...more.map(([column]) => column)]
  const given = names.map((column) => `${column} ${columns[column]}`)
  const values = [...names.map((column) => `given.${column}`), ...more.map(([, sql]) => sql)]
  const updated = all
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = EXCLUDED.${column}`)
  const same = `
    WHERE NOT EXISTS (
      SELECT FROM ${table} AS row WHERE ${key.map((column) => `row.${column} = given.${column}`).join(' AND ')}
        AND ROW(${all.map((column) => `row.${column}`).join(', ')})::record *= ROW(${values.join(', ')})::record
    )`
  return `
    INSERT INTO ${table} (${all.join(', ')})
    SELECT ${values.join(', ')}
    FROM json_to_recordset($1::json) AS given (${given.join(', ')})${unlessSame ? same : ''}
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${updated.join(', ')}`
}

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
