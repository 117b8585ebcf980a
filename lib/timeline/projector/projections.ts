import 'server-only'
import { eventTable } from '../tables/event.ts'
import { eventDeliveryTable } from '../tables/event-delivery.ts'
import { identifierTable } from '../tables/identifier.ts'
import { standingTable } from '../tables/standing.ts'
import { insertMissingOf, upsertOf } from '../tables/statements.ts'
import type { TableDefinition } from '../tables/table.ts'
import { transactionTable } from '../tables/transaction.ts'
import type { SubjectChanges } from './project-subject.ts'

/** A table that folds fill. */
export interface Projection {
  readonly table: TableDefinition
  readonly rowsOf: (changes: SubjectChanges) => readonly object[]
  readonly upsert: string
  /** The same for rows of a subject whose rows are not trusted. */
  readonly upsertRebuilt: string
  /** Of a row that is there: whether it is wrong beside what its description says. */
  readonly isSpoilt: string
}

const projectionOf = (
  table: TableDefinition,
  rowsOf: Projection['rowsOf'],
  upsert = upsertOf(table),
): Projection => ({
  table,
  rowsOf,
  upsert,
  upsertRebuilt: upsert,
  isSpoilt: 'false',
})

/**
 * The kept part of a body that left the log stands in the row itself, or in that of another event of the subject that said the
 * same.
 */
const keptOf = (name: string) => ({
  name,
  sql: `CASE WHEN NOT EXISTS (SELECT FROM delivery WHERE delivery.id = given.id) THEN (
      SELECT ${name} FROM event
      WHERE event.subject_id = given.subject_id AND (envelope IS NOT NULL OR body_left_at IS NOT NULL)
        AND (event.id = given.id OR event.fingerprint = given.fingerprint)
      ORDER BY event.id = given.id DESC, envelope IS NOT NULL DESC LIMIT 1
    ) END`,
})

/** In the order in which they are written. */
export const projections: readonly Projection[] = [
  {
    ...projectionOf(eventTable, ({ events }) => events),
    upsertRebuilt: upsertOf(eventTable, [keptOf('envelope'), keptOf('body_left_at')]),
    isSpoilt: `(envelope IS NULL AND body_left_at IS NULL) <> EXISTS (SELECT FROM delivery WHERE delivery.id = event.id)`,
  },
  projectionOf(eventDeliveryTable, ({ deliveries }) => deliveries),
  projectionOf(transactionTable, ({ transaction }) => (transaction ? [transaction] : [])),
  projectionOf(standingTable, ({ standings }) => standings),
  projectionOf(identifierTable, ({ identifiers }) => identifiers, insertMissingOf(identifierTable)),
]
