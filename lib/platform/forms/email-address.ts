import 'server-only'
import { z } from 'zod'
import { isEmailAddress } from '../rules/email-address.ts'
import { PastedTextSchema } from './pasted-text.ts'

export const EmailAddressSchema = z.string('Enter an e-mail address.').pipe(
  PastedTextSchema.refine((text) => text !== '', { error: 'Enter an e-mail address.', abort: true })
    .refine((text) => text.length <= 254, { error: 'At most 254 characters.', abort: true })
    .refine(isEmailAddress, 'This is not an e-mail address. Example: ana@demo.test'),
)
