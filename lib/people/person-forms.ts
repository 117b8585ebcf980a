import 'server-only'
import { z } from 'zod'
import { EmailAddressSchema, PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { plainText } from '#lib/platform/rules/pasted-text.ts'

/** The merchant calls a customer by this number: any text that can be printed on one line. Empty means none. */
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

/**
 * A member of the team can make this person a user of the service, without a wallet, because only its owner can
 * prove it.
 */
export const NewPersonSchema = z.object({
  email: EmailAddressSchema,
  firstName: PersonNameSchema,
  lastName: PersonNameSchema,
  country: z.string('Choose a country.').regex(/^[A-Z]{2}$/, 'Choose a country.'),
  customerNumber: CustomerNumberSchema.optional(),
})
