import 'server-only'
import type { QueryConfig } from 'pg'
import { finishing } from '#lib/queue/finish.ts'
import { puttingAgain, puttingBackLostAnswers } from '#lib/queue/put.ts'
import { eventTable } from '#lib/tables/event.ts'
import { deleteOf } from '#lib/tables/statements.ts'
import { changedChannel, changedPayloads } from './changed.ts'
import type { SubjectChanges } from './project-subject.ts'
import { deletingOthers, projections, type Upserts } from './projections.ts'

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
  yield* rowsBy('move-identifiers', MOVE_IDENTIFIERS, movedOf(writing.changes))
  yield* writingRows(changed, 'changed')
  // Of whole subjects every row is told: one that is the same already, to the bit, is left as it is.
  yield* writingRows(whole, 'whole')
  yield* rowsBy('delete-events', deleteOf(eventTable), goneOf(writing.changes))
  if (whole.length > 0) yield* [BY_HASH, ...deletingOthers(whole), BY_INDEX]
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

function* writingRows(changes: readonly SubjectChanges[], how: keyof Upserts): Generator<QueryConfig> {
  for (const { name, rowsOf, upserts } of projections)
    yield* rowsBy(`${how}-${name}`, upserts[how], changes.flatMap(rowsOf))
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

const movedOf = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, startedAt }) =>
    startedAt === null ? [] : [{ subject_id: subjectId, started_at: startedAt }],
  )

/** What stays of a subject is a list without an index, of which the planner does not know how long it is. */
const BY_HASH: QueryConfig = { text: 'SET LOCAL enable_hashjoin = on; SET LOCAL enable_nestloop = off' }
const BY_INDEX: QueryConfig = { text: 'SET LOCAL enable_nestloop = on' }

const MOVE_IDENTIFIERS = `
  UPDATE identifier SET started_at = moved.started_at
  FROM json_to_recordset($1::json) AS moved (subject_id text, started_at timestamptz)
  WHERE identifier.subject_id = moved.subject_id AND identifier.started_at <> moved.started_at`

const TOUCH_RECEIVERS = `
  UPDATE receiver SET last_delivery_at = seen.at
  FROM json_to_recordset($1::json) AS seen (id uuid, at timestamptz)
  WHERE receiver.id = seen.id AND (last_delivery_at IS NULL OR last_delivery_at < seen.at)`

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'
