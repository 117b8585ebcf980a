import 'server-only'
import { z } from 'zod'
import type { ClaimSet } from '#lib/access/rules/role-of-claims.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'

/** The provider may give these claims about somebody in several places. */
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
  /** Mail goes to this single address. */
  email: z.string().refine(isMailbox).optional().catch(undefined),
  /** The provider has verified that the address is the person's. A text value is ignored: nothing is guessed. */
  email_verified: z.boolean().optional().catch(undefined),
  /** The provider names its session like this. */
  sid: z.string().max(255).optional().catch(undefined),
  /** The person last proved to the provider who they are at this time, in seconds since 1970. */
  auth_time: z.number().optional().catch(undefined),
  /** The identity token was made at this time, by the provider's clock. */
  iat: z.number().optional().catch(undefined),
})

export type Claims = z.output<typeof ClaimsSchema>

/** The provider answers a code with this. */
export interface Answer {
  readonly claims: Claims
  /** The claims of the identity token, then those of the userinfo endpoint, are kept as they came, for the role. */
  readonly sets: readonly [ClaimSet, ClaimSet]
  readonly proof: Proof
}

/** The person proved to the provider who they are. */
export interface Proof {
  /** The time is by this server's clock; null when nothing shows that they ever did. */
  readonly at: Date | null
  /** The provider's clock is ahead of this one by this many seconds, or behind it when negative; 0 when they may agree. */
  readonly clockDifference: number
}

/** Two clocks that differ by this many seconds still count as equal; `openid-client` allows as many. */
export const clockTolerance = 30

/**
 * The identity token holds the nonce of this attempt, so it was made after the attempt began and before now; a clock that
 * says otherwise differs from ours. Then the time since the proof is counted by the provider's clock alone, up to `iat`.
 */
export function readProof(
  { iat, auth_time: at }: { readonly iat?: number | undefined; readonly auth_time?: number | undefined },
  began: Date,
  now: Date,
): Proof {
  const [beganAt, nowAt] = [began.getTime() / 1000, now.getTime() / 1000]
  const agrees = iat === undefined || (iat > beganAt - clockTolerance && iat < nowAt + clockTolerance)
  const clockDifference = agrees ? 0 : Math.round(iat - nowAt)
  const latest = agrees ? nowAt : iat
  // A time in the future, such as one in milliseconds, proves nothing.
  if (at === undefined || at > latest + clockTolerance) return { at: null, clockDifference }
  return { at: new Date((agrees ? at : nowAt - Math.max(0, iat - at)) * 1000), clockDifference }
}
