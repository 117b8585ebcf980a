import 'server-only'
import { z } from 'zod'
import { EmailAddressSchema } from '#lib/sign-in/email-address.ts'
import { NameSchema } from '#lib/sign-in/sign-up.ts'
import { CustomerNumberSchema } from './customer-number.ts'

/** Whom a member of the team can make a user of the service: without a wallet, which only its owner can prove. */
export const NewPersonSchema = z.object({
  email: EmailAddressSchema,
  firstName: NameSchema,
  lastName: NameSchema,
  country: z.string('Choose a country.').regex(/^[A-Z]{2}$/, 'Choose a country.'),
  customerNumber: CustomerNumberSchema.optional(),
})
