import 'server-only'
import { z } from 'zod'
import { isVisibleName } from '../rules/visible-text.ts'

/** What a person is called, on one line. */
export const PersonNameSchema = z
  .string('Enter a name.')
  .trim()
  .min(1, 'Enter a name.')
  .max(100, 'At most 100 characters.')
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Only letters and signs that can be printed.')
  .refine(isVisibleName, 'Only letters and signs that can be printed.')
