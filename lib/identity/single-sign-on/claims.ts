import 'server-only'
import { z } from 'zod'
import type { ClaimSet } from '#lib/access/rules/role-of-claims.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import type { Proof } from './read-proof.ts'

/** Claims about somebody, wherever the provider says them. */
export const ClaimsSchema = z.looseObject({
  iss: z.string().max(500),
  sub: z.string().min(1).max(255),
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
    .optional()
    .catch(undefined),
  /** One address: mail goes to it. */
  email: z.string().refine(isMailbox).optional().catch(undefined),
  /** Whether the provider has seen that this address is the person's. A text is no answer: nothing is guessed. */
  email_verified: z.boolean().optional().catch(undefined),
  /** The provider's own name of its session. */
  sid: z.string().max(255).optional().catch(undefined),
  /** When the person last proved to the provider who they are, in seconds since 1970. */
  auth_time: z.number().optional().catch(undefined),
  /** When the identity token was made, by the provider’s clock. */
  iat: z.number().optional().catch(undefined),
})

export type Claims = z.output<typeof ClaimsSchema>

/** The answer to a code. */
export interface Answer {
  readonly claims: Claims
  /** The claims of the identity token, then those of the userinfo endpoint, as they came: for the role. */
  readonly sets: readonly [ClaimSet, ClaimSet]
  readonly proof: Proof
}
