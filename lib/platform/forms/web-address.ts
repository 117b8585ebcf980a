import 'server-only'
import { z } from 'zod'

/** An absolute url of at most 2,000 characters, as it was typed, without a user or a password. Which schemes and hosts are allowed is for the use case to say. */
export const WebAddressSchema = z
  .string('Give the address to post to.')
  .trim()
  .max(2_000, 'At most 2,000 characters.')
  .refine((text) => URL.canParse(text), {
    error: 'This is not a web address. Example: https://example.com/webhooks',
    abort: true,
  })
  .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
    error: 'The address must not contain a user or a password.',
    abort: true,
  })
