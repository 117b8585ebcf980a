import 'server-only'
import { z } from 'zod'
import { reasonLength } from '../rules/reason.ts'

/** The words for a reason that is missing or too short. */
export const reasonMissing = `Say why, in a few words. At least ${reasonLength.least} characters.`

/** Every confirmed action says why, for the audit. */
export const ReasonSchema = z
  .string(reasonMissing)
  .trim()
  .min(reasonLength.least, reasonMissing)
  .max(reasonLength.most, `At most ${reasonLength.most} characters.`)
