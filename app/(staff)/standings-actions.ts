'use server'
import { action } from '#lib/actions/action.ts'
import { AllowStandingsExportSchema, allowStandingsExport } from '#lib/standings/export-standings.ts'

export const allowStandingsExportAction = action(
  AllowStandingsExportSchema,
  'work-on-cases',
  allowStandingsExport,
)
