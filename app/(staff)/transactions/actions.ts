'use server'

import { action } from '#lib/identity/actions/action.ts'
import { allowLinesExport, ExportLinesSchema } from '#lib/search/export-lines.ts'
import { AllowTransactionsExportSchema, allowTransactionsExport } from '#lib/search/export-transactions.ts'
import {
  AddNoteSchema,
  addNote,
  ChangeNoteSchema,
  changeNote,
  RemoveNoteSchema,
  removeNote,
} from '#lib/transactions/notes/notes.ts'

export const allowLinesExportAction = action(ExportLinesSchema, 'work-on-cases', allowLinesExport)

export const allowTransactionsExportAction = action(
  AllowTransactionsExportSchema,
  'work-on-cases',
  allowTransactionsExport,
)

export const addNoteAction = action(AddNoteSchema, 'work-on-cases', addNote)

export const changeNoteAction = action(ChangeNoteSchema, 'work-on-cases', changeNote)

export const removeNoteAction = action(RemoveNoteSchema, 'work-on-cases', removeNote)
