import 'server-only'
import type pg from 'pg'
import { eventDeliveryTable, eventTable, identifierTable } from '../tables/event.ts'
import { standingTable } from '../tables/standing.ts'
import { columnsOf, insertOf, keyOf, type TableDefinition, toWrittenRow, upsertOf } from '../tables/table.ts'
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
  /** The rows that `upsertRebuilt` takes. */
  readonly toRebuilt: (client: pg.ClientBase, rows: readonly object[]) => Promise<readonly object[]>
  /** The query of all rows of some subjects; `spoilt` finds one that is wrong in columns that its definition does not cover. */
  readonly rowsOfSubjects: string
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
  toRebuilt: async (_, rows) => rows,
  rowsOfSubjects: `SELECT ${columnsOf(table)}, false AS spoilt FROM ${table.name} WHERE subject_id = ANY($1)`,
})

/**
 * When a body has left the log, its kept part is in the row itself, or in another event of the subject with the
 * same content.
 */
async function withKept(client: pg.ClientBase, rows: readonly object[]): Promise<object[]> {
  if (rows.length === 0) return []
  const { rows: found } = await client.query<KeptRow>({
    name: 'kept-of-events',
    text: KEPT,
    values: [JSON.stringify(rows)],
  })
  return rows.map((row, i) => {
    const kept = found.find(({ n }) => n === i + 1)
    return { ...row, envelope: kept?.envelope ?? null, body_left_at: kept?.body_left_at ?? null }
  })
}

interface KeptRow {
  readonly n: number
  readonly envelope: string | null
  readonly body_left_at: string | null
}

const KEPT = `
  WITH given AS MATERIALIZED (
    SELECT row_number() OVER ()::int AS n, * FROM json_to_recordset($1::json) AS given (subject_id text, id uuid, fingerprint bytea)
  ), kept AS MATERIALIZED (
    SELECT subject_id, id, fingerprint, envelope, body_left_at FROM event
    WHERE subject_id = ANY(ARRAY(SELECT subject_id FROM given)) AND (envelope IS NOT NULL OR body_left_at IS NOT NULL)
  )
  SELECT DISTINCT ON (n) n, '\\x' || encode(kept.envelope, 'hex') AS envelope, to_json(kept.body_left_at) #>> '{}' AS body_left_at
  FROM given JOIN kept ON kept.subject_id = given.subject_id
    AND (kept.id = given.id OR kept.fingerprint = given.fingerprint)
  WHERE NOT EXISTS (SELECT FROM delivery WHERE delivery.id = given.id)
  ORDER BY n, kept.id = given.id DESC, kept.envelope IS NOT NULL DESC`

/** The projections are written in this order. */
export const projections: readonly Projection[] = [
  {
    ...projectionOf(eventTable, ({ events }) => events),
    upsertRebuilt: upsertOf(eventTable, [
      { name: 'envelope', type: 'bytea' },
      { name: 'body_left_at', type: 'timestamptz' },
    ]),
    toRebuilt: withKept,
    rowsOfSubjects: `
      WITH kept AS MATERIALIZED (
        SELECT ${columnsOf(eventTable)}, envelope IS NULL AND body_left_at IS NULL AS logged FROM event WHERE subject_id = ANY($1)
      )
      SELECT ${columnsOf(eventTable)}, logged <> EXISTS (SELECT FROM delivery WHERE delivery.id = kept.id) AS spoilt FROM kept`,
  },
  projectionOf(eventDeliveryTable, ({ deliveries }) => deliveries),
  projectionOf(transactionTable, ({ transaction }) => (transaction ? [transaction] : [])),
  projectionOf(standingTable, ({ standings }) => standings),
  projectionOf(identifierTable, ({ identifiers }) => identifiers, insertOf(identifierTable)),
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
      text: projection.rowsOfSubjects,
      values: [ids],
    })
    const found = difference(projection, subjects.flatMap(projection.rowsOf), rows)
    differences.push({ ...found, rows: await projection.toRebuilt(client, found.rows) })
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
