import 'server-only'
import type pg from 'pg'
import { rowText } from '../tables/row-text.ts'
import { keyOf } from '../tables/statements.ts'
import { columnsOf, toWrittenRow } from '../tables/table.ts'
import type { SubjectChanges } from './project-subject.ts'
import { type Projection, projections } from './projections.ts'

/** In what a table differs from the rows that it should have of some subjects. */
export interface Difference {
  readonly projection: Projection
  /** Rows that are missing, or say something else. */
  readonly rows: readonly object[]
  /** The keys of rows that have to go. */
  readonly gone: readonly object[]
}

/**
 * Compares complete subjects, for which every row is given, with the rows in the database. Runs in the transaction
 * that writes them, so that nobody else changes these rows meanwhile.
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
