'use server'
import { action } from '#lib/actions/action.ts'
import { allowLinesExport, ExportLinesSchema } from '#lib/search/export-lines.ts'

export const allowLinesExportAction = action(ExportLinesSchema, 'work-on-cases', allowLinesExport)
