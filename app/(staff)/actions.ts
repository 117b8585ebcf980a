'use server'

import { action } from '#lib/identity/actions/action.ts'
import { AllowStandingsExportSchema, allowStandingsExport } from '#lib/people/standings/export-standings.ts'
import {
  CheckMatchSchema,
  checkMatch,
  RevealBirthDateSchema,
  RevealBodySchema,
  RevealFieldSchema,
  revealBirthDate,
  revealBody,
  revealField,
} from '#lib/transactions/reveal/reveal.ts'

export const revealFieldAction = action(RevealFieldSchema, 'reveal-personal-data', revealField)

export const revealBirthDateAction = action(RevealBirthDateSchema, 'reveal-personal-data', revealBirthDate)

export const revealBodyAction = action(RevealBodySchema, 'see-everything', revealBody)

export const checkMatchAction = action(CheckMatchSchema, 'work-on-cases', checkMatch)

export const allowStandingsExportAction = action(
  AllowStandingsExportSchema,
  'work-on-cases',
  allowStandingsExport,
)
