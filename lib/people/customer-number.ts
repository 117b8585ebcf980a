import 'server-only'
import { z } from 'zod'
import { plainText } from '#lib/platform/rules/pasted-text.ts'

/** How the merchant calls a customer: anything that can be printed on one line. Empty for none. */
export const CustomerNumberSchema = z
  .string()
  .transform(plainText)
  .pipe(
    z
      .string()
      .trim()
      .max(100, 'At most 100 characters.')
      .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Only letters and signs that can be printed.'),
  )
  .transform((text) => text || null)
