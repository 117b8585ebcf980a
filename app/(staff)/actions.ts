'use server'
import { action } from '#lib/actions/action.ts'
import { CheckMatchSchema, checkMatch } from '#lib/reveal/check-match.ts'
import { RevealBirthDateSchema, revealBirthDate } from '#lib/reveal/reveal-birth-date.ts'
import { RevealBodySchema, revealBody } from '#lib/reveal/reveal-body.ts'
import { RevealFieldSchema, revealField } from '#lib/reveal/reveal-field.ts'

export const revealFieldAction = action(RevealFieldSchema, 'reveal-personal-data', revealField)

export const revealBirthDateAction = action(RevealBirthDateSchema, 'reveal-personal-data', revealBirthDate)

export const revealBodyAction = action(RevealBodySchema, 'see-everything', revealBody)

export const checkMatchAction = action(CheckMatchSchema, 'work-on-cases', checkMatch)
