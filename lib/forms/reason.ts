import 'server-only'
import { z } from 'zod'

/** Every confirmed action says why, for the audit. */
export const ReasonSchema = z
  .string('Say why, in a few words.')
  .trim()
  .min(3, 'Say why, in a few words.')
  .max(500, 'At most 500 characters.')
