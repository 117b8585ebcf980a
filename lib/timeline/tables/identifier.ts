import 'server-only'
import { text, time } from './column.ts'
import { defineTable, type NewRowOf } from './table.ts'

/** Every id that a person may paste. The table has no unique index: nobody but the subject's projector writes it. */
export const identifierTable = defineTable('identifier', ['subjectId', 'value'], {
  subjectId: text('subject_id'),
  value: text('value'),
  /** When anything was first received about the subject: what searches go by, newest first. */
  startedAt: time('started_at'),
})

export type NewIdentifierRow = NewRowOf<typeof identifierTable>
