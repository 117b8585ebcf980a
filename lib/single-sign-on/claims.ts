import 'server-only'
import { z } from 'zod'

/** What the provider says of somebody; other claims are kept for the role. */
export const ClaimsSchema = z.looseObject({
  iss: z.string().max(500),
  sub: z.string().min(1).max(255),
  name: z.string().max(200).optional().catch(undefined),
  email: z.string().max(254).optional().catch(undefined),
  /** Whether the provider has seen that this address is the person's. A text is no answer: nothing is guessed. */
  email_verified: z.boolean().optional().catch(undefined),
  /** When the person last proved to the provider who they are, in seconds since 1970. */
  auth_time: z.number().optional().catch(undefined),
})

export type Claims = z.output<typeof ClaimsSchema>
