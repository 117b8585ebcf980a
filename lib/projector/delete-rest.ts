import 'server-only'
import type { SubjectChanges } from './project-subject.ts'

/** What removes every row of these subjects that is not among their changes, which must be whole. */
export function deletionsOfRest(subjects: readonly SubjectChanges[]) {
  if (subjects.length === 0) return []
  const ids = subjects.map(({ subjectId }) => subjectId)
  return tables.map(({ statement, keysOf }) => ({
    text: statement,
    values: [ids, JSON.stringify(subjects.flatMap(keysOf))],
  }))
}

interface Table {
  readonly statement: string
  /** What tells the rows that stay. */
  readonly keysOf: (changes: SubjectChanges) => readonly object[]
}

const tables: readonly Table[] = [
  {
    statement: restOf('event', 'id uuid'),
    keysOf: ({ events }) => events.map(({ subject_id, id }) => ({ subject_id, id })),
  },
  {
    statement: restOf('event_delivery', 'delivery_id uuid'),
    keysOf: ({ deliveries }) =>
      deliveries.map(({ subject_id, delivery_id }) => ({ subject_id, delivery_id })),
  },
  {
    statement: restOf('transaction'),
    keysOf: ({ transaction }) => (transaction ? [{ subject_id: transaction.subject_id }] : []),
  },
  {
    statement: restOf('identifier', 'value text', 'started_at timestamptz'),
    keysOf: ({ identifiers }) => identifiers,
  },
]

/** `columns` are those that tell a row from others of its subject, each with its type. */
function restOf(table: string, ...columns: string[]): string {
  const names = ['subject_id', ...columns.map((column) => column.split(' ')[0])]
  return `
    DELETE FROM ${table} AS row WHERE subject_id = ANY($1) AND NOT EXISTS (
      SELECT FROM json_to_recordset($2::json) AS kept (${['subject_id text', ...columns].join(', ')})
      WHERE ${names.map((name) => `kept.${name} = row.${name}`).join(' AND ')}
    )`
}
