import 'server-only'
import { z } from 'zod'

/** What its owner calls a passkey. */
export const PasskeyNameSchema = z
  .string('Give it a name.')
  .trim()
  .min(1, 'Give it a name, such as “Work laptop”.')
  .max(60, 'At most 60 characters.')
  .regex(/^\P{Cc}*$/u, 'Only letters and signs that can be printed.')
