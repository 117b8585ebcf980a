import 'server-only'
import type pg from 'pg'
import { eventDeliveryTable, eventTable, identifierTable } from '../tables/event.ts'
import { standingTable } from '../tables/standing.ts'
import {
  columnsOf,
  insertMissingOf,
  keyOf,
  type TableDefinition,
  toWrittenRow,
  upsertOf,
} from '../tables/table.ts'
import { transactionTable } from '../tables/transaction.ts'
import type { SubjectChanges } from './project-subject.ts'
import { rowText } from './rows.ts'

/** A projection is a table that the projector fills. */
interface Projection {
  readonly table: TableDefinition
  readonly rowsOf: (changes: SubjectChanges) => readonly object[]
  readonly upsert: string
  /** The statement is for subjects whose stored rows are not trusted. */
  readonly upsertRebuilt: string
  /** The condition finds a stored row that is wrong in columns that its definition does not cover. */
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
 * When a body has left the log, its kept part is in the row itself, or in another event of the subject with the
 * same content.
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

/** The projections are written in this order. */
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

/** A difference is between a table and the rows that it should have for some subjects. */
export interface Difference {
  readonly projection: Projection
  /** These rows are missing, or have other values. */
  readonly rows: readonly object[]
  /** The rows with these keys must be deleted. */
  readonly gone: readonly object[]
}

/**
 * Every row of these subjects is given and compared with the database. This runs in the transaction that writes
 * them, so that nobody else changes them meanwhile.
 */
export async function compareRows(
  client: pg.ClientBase,
  subjects: readonly SubjectChanges[],
): Promise<Difference[]> {
  if (subjects.length === 0) return []
  const ids = subjects.map(({ subjectId }) => subjectId)
  const differences: Difference[] = []
  for (const projection of projections) {
    const { rows } = await client.query({
      name: `rows-of-${projection.table.name}`,
      text: `SELECT ${columnsOf(projection.table)}, ${projection.isSpoilt} AS spoilt FROM ${projection.table.name} WHERE subject_id = ANY($1)`,
      values: [ids],
    })
    differences.push(difference(projection, subjects.flatMap(projection.rowsOf), rows))
  }
  return differences
}

function difference(
  projection: Projection,
  wanted: readonly object[],
  found: readonly { readonly spoilt: boolean }[],
): Difference {
  const { table } = projection
  const there = new Map(
    found.map(({ spoilt, ...row }) => {
      const written = toWrittenRow(table, row)
      return [rowText(keyOf(table, written)), { written, text: spoilt ? '' : rowText(written) }]
    }),
  )
  const rows = wanted.filter((row) => {
    const key = rowText(keyOf(table, row))
    const isSame = there.get(key)?.text === rowText(row)
    there.delete(key)
    return !isSame
  })
  return { projection, rows, gone: [...there.values()].map(({ written }) => keyOf(table, written)) }
}
