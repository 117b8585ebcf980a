import 'server-only'
import { z } from 'zod'
import type { ClaimSet } from '#lib/access/rules/role-of-claims.ts'
import { isMailbox, mailboxKey } from '#lib/platform/rules/mail-address.ts'
import { isVisibleName } from '#lib/platform/rules/pasted-text.ts'

/** The provider names people and sessions by texts of its own, which become keys. */
export const providersTextSchema = z
  .string()
  .regex(/^[^\0]{1,255}$/)
  .refine((text) => text.isWellFormed())

/** The provider may give these claims about somebody in several places. */
export const ClaimsSchema = z.looseObject({
  iss: z.string().max(500),
  sub: providersTextSchema,
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
    .refine((name) => name.isWellFormed() && isVisibleName(name))
    .optional()
    .catch(undefined),
  /** Mail goes to this single address. */
  email: z.string().refine(isMailbox).optional().catch(undefined),
  /** The provider has verified that the address is the person's. A text value is ignored: nothing is guessed. */
  email_verified: z.boolean().optional().catch(undefined),
  /** The provider names its session like this. */
  sid: providersTextSchema.optional().catch(undefined),
  /** The person last proved to the provider who they are at this time, in seconds since 1970. */
  auth_time: z.number().optional().catch(undefined),
  /** The identity token was made at this time, by the provider's clock. */
  iat: z.number().optional().catch(undefined),
})

export type Claims = z.output<typeof ClaimsSchema>

const PersonSchema = ClaimsSchema.pick({ name: true, email: true, email_verified: true })

/**
 * The identity token counts before UserInfo, whose times are not those of this sign-in. `email_verified` speaks of the address
 * in its own answer (OpenID Connect Core 5.1).
 */
export function readClaims(token: ClaimSet, userInfo: ClaimSet): Claims {
  const persons = [token, userInfo].map((set) => PersonSchema.parse(set))
  const { name } = persons.find((one) => one.name !== undefined) ?? {}
  const claims = ClaimsSchema.parse({ ...userInfo, auth_time: undefined, ...token })
  return { ...claims, name, ...readAddress(persons) }
}

/** The first answer with an address gives it; another one may verify it by naming it too. */
function readAddress(
  persons: readonly z.output<typeof PersonSchema>[],
): Pick<Claims, 'email' | 'email_verified'> {
  const [first, ...others] = persons.filter(({ email }) => email !== undefined)
  if (first?.email === undefined) return { email: undefined, email_verified: undefined }
  const key = mailboxKey(first.email)
  const isVerified = others.some(
    ({ email = '', email_verified }) => email_verified === true && mailboxKey(email) === key,
  )
  return { email: first.email, email_verified: isVerified || first.email_verified }
}

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
