import 'server-only'
import { z } from 'zod'

/** An absolute url of at most 2,000 characters, as it was typed. Which schemes and hosts are allowed is for the use case to say. */
export const WebAddressSchema = z
  .string('Give the address to post to.')
  .trim()
  .max(2_000, 'At most 2,000 characters.')
  .refine((text) => URL.canParse(text), {
    error: 'This is not a web address. Example: https://example.com/webhooks',
    abort: true,
  })
