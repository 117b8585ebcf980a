import 'server-only'
import { z } from 'zod'

export const EmailAddressSchema = z
  .string('Enter an e-mail address.')
  .trim()
  .min(1, 'Enter an e-mail address.')
  .max(254, 'At most 254 characters.')
  .pipe(z.email('This is not an e-mail address. Example: ana@demo.test'))
