import 'server-only'
import type { QueryConfig } from 'pg'
import { eventTable } from '#lib/tables/event.ts'
import { eventDeliveryTable } from '#lib/tables/event-delivery.ts'
import { identifierTable } from '#lib/tables/identifier.ts'
import { deleteOthersOf, insertMissingOf, keyOf, upsertChangedOf, upsertOf } from '#lib/tables/statements.ts'
import type { Table } from '#lib/tables/table.ts'
import { transactionTable } from '#lib/tables/transaction.ts'
import type { SubjectChanges } from './project-subject.ts'

/** How rows are written: those known to have changed, and all of a subject whose rows are not trusted. */
export interface Upserts {
  readonly changed: string
  readonly whole: string
}

/** A table that folds fill. */
interface Projection {
  readonly name: string
  readonly rowsOf: (changes: SubjectChanges) => readonly object[]
  readonly upserts: Upserts
  readonly deleteOthers: string
  readonly keyOf: (row: object) => object
}

const projectionOf = (
  table: Table,
  rowsOf: Projection['rowsOf'],
  upserts: Upserts = { changed: upsertOf(table), whole: upsertChangedOf(table) },
): Projection => ({
  name: table.name,
  rowsOf,
  upserts,
  deleteOthers: deleteOthersOf(table),
  keyOf: (row) => keyOf(table, row),
})

/**
 * A body that retention dropped from the log was kept by the row itself, or by that of another event of the subject that
 * said the same.
 */
const keptEnvelope = {
  name: 'envelope',
  sql: `CASE WHEN NOT EXISTS (SELECT FROM delivery WHERE delivery.id = given.id) THEN (
      SELECT envelope FROM event
      WHERE event.subject_id = given.subject_id AND envelope IS NOT NULL
        AND (event.id = given.id OR event.fingerprint = given.fingerprint)
      ORDER BY event.id = given.id DESC LIMIT 1
    ) END`,
}

const insertIdentifiers = insertMissingOf(identifierTable)

/** In the order in which they are written. */
export const projections: readonly Projection[] = [
  projectionOf(eventTable, ({ events }) => events, {
    changed: upsertOf(eventTable),
    whole: upsertChangedOf(eventTable, keptEnvelope),
  }),
  projectionOf(eventDeliveryTable, ({ deliveries }) => deliveries),
  projectionOf(transactionTable, ({ transaction }) => (transaction ? [transaction] : [])),
  projectionOf(identifierTable, ({ identifiers }) => identifiers, {
    changed: insertIdentifiers,
    whole: insertIdentifiers,
  }),
]

/** What removes every row of these subjects that is not among their changes, which must be whole. */
export function deletingOthers(subjects: readonly SubjectChanges[]): QueryConfig[] {
  const ids = subjects.map(({ subjectId }) => subjectId)
  return projections.map(({ deleteOthers, keyOf, rowsOf }) => ({
    text: deleteOthers,
    values: [JSON.stringify(subjects.flatMap(rowsOf).map(keyOf)), ids],
  }))
}
