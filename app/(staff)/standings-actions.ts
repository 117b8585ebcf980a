'use server'
import { action } from '#lib/identity/actions/action.ts'
import { AllowStandingsExportSchema, allowStandingsExport } from '#lib/people/standings/export-standings.ts'

export const allowStandingsExportAction = action(
  AllowStandingsExportSchema,
  'work-on-cases',
  allowStandingsExport,
)
