'use server'
import { action } from '#lib/actions/action.ts'
import { allowLinesExport, ExportLinesSchema } from '#lib/search/export-lines.ts'
import { AllowTransactionsExportSchema, allowTransactionsExport } from '#lib/search/export-transactions.ts'

export const allowLinesExportAction = action(ExportLinesSchema, 'work-on-cases', allowLinesExport)

export const allowTransactionsExportAction = action(
  AllowTransactionsExportSchema,
  'work-on-cases',
  allowTransactionsExport,
)
