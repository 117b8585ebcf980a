import 'server-only'
import type { QueryConfig } from 'pg'
import { requeueForRun, requeueLostAnswers } from '#lib/deliveries/queue/enqueue.ts'
import { removeFolded } from '#lib/deliveries/queue/remove-folded.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { eventTable } from '../tables/event.ts'
import { deleteOf } from '../tables/statements.ts'
import type { Difference } from './compare-rows.ts'
import type { SubjectChanges } from './project-subject.ts'
import { projections } from './projections.ts'

/** What one transaction writes. */
export interface BatchWrite {
  readonly changes: readonly SubjectChanges[]
  /** Changes that viewers are notified of; a rebuild notifies nobody. Without a `userUuid` staff alone are. */
  readonly notify: readonly Pick<SubjectChanges, 'subjectId' | 'userUuid'>[]
  /** Deliveries that are done. */
  readonly folded: readonly { readonly id: string; readonly run: string | null }[]
  /** Ids of folded deliveries whose answer was assumed to have arrived. */
  readonly foldedAsSure: readonly string[]
  /** Deliveries to requeue for reading from the log, with the run that found them under a wrong subject. */
  readonly requeued: readonly { readonly id: string; readonly run: string }[]
  /** When the last delivery came to each receiver, in ms since 1970. */
  readonly lastOnReceiver: ReadonlyMap<string, number>
}

export const emptyWrite: BatchWrite = {
  changes: [],
  notify: [],
  folded: [],
  foldedAsSure: [],
  requeued: [],
  lastOnReceiver: new Map(),
}

/**
 * The statements that write what changed, remove what is no longer pending, and notify, in this order.
 * @param differences of the complete changes, see `compareRows`
 */
export function* statementsOf(
  writing: BatchWrite,
  differences: readonly Difference[] = [],
): Generator<QueryConfig> {
  const changed = writing.changes.filter(({ complete }) => !complete)
  yield* rowsBy('move-identifiers', MOVE_IDENTIFIERS, movedOf(writing.changes))
  for (const { table, rowsOf, upsert } of projections)
    yield* rowsBy(`upsert-${table.name}`, upsert, changed.flatMap(rowsOf))
  for (const { projection, rows } of differences)
    yield* rowsBy(`upsert-rebuilt-${projection.table.name}`, projection.upsertRebuilt, rows)
  yield* rowsBy('delete-event', deleteOf(eventTable), removedOf(changed))
  for (const { projection, gone } of differences)
    yield* rowsBy(`delete-${projection.table.name}`, deleteOf(projection.table), gone)
  const receivers = [...writing.lastOnReceiver].map(([id, at]) => ({ id, at: new Date(at) }))
  yield* rowsBy('touch-receivers', TOUCH_RECEIVERS, receivers)
  yield* removeFolded(writing.folded)
  for (const [run, some] of Map.groupBy(writing.requeued, (delivery) => delivery.run))
    yield requeueForRun(
      some.map(({ id }) => id),
      run,
    )
  if (writing.foldedAsSure.length > 0) yield requeueLostAnswers(writing.foldedAsSure)
  const payloads = changePayloads(writing.notify, Date.now())
  if (payloads.length > 0) yield { name: 'notify-changes', text: NOTIFY, values: [changeChannel, payloads] }
}

/** Rows of one kind, as JSON parameters. */
function* rowsBy(name: string, text: string, rows: readonly object[]): Generator<QueryConfig> {
  for (const part of jsonParts(rows)) yield { name, text, values: [part] }
}

/** Characters of one parameter: all rows of a large subject would not fit into one string. */
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

const removedOf = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, removedEvents }) =>
    removedEvents.map((id) => ({ subject_id: subjectId, id })),
  )

const movedOf = (changes: readonly SubjectChanges[]) =>
  changes.flatMap(({ subjectId, startedAt }) =>
    startedAt === null ? [] : [{ subject_id: subjectId, started_at: startedAt }],
  )

const MOVE_IDENTIFIERS = `
  UPDATE identifier SET started_at = moved.started_at
  FROM json_to_recordset($1::json) AS moved (subject_id text, started_at timestamptz)
  WHERE identifier.subject_id = moved.subject_id AND identifier.started_at <> moved.started_at`

const TOUCH_RECEIVERS = `
  UPDATE receiver SET last_delivery_at = seen.at
  FROM json_to_recordset($1::json) AS seen (id uuid, at timestamptz)
  WHERE receiver.id = seen.id AND (last_delivery_at IS NULL OR last_delivery_at < seen.at)`

const NOTIFY = 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload'
