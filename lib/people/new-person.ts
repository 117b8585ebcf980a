import 'server-only'
import { z } from 'zod'
import { EmailAddressSchema, PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { CustomerNumberSchema } from './customer-number.ts'

/** Whom a member of the team can make a user of the service: without a wallet, which only its owner can prove. */
export const NewPersonSchema = z.object({
  email: EmailAddressSchema,
  firstName: PersonNameSchema,
  lastName: PersonNameSchema,
  country: z.string('Choose a country.').regex(/^[A-Z]{2}$/, 'Choose a country.'),
  customerNumber: CustomerNumberSchema.optional(),
})
