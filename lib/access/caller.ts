import 'server-only'
import type { SignInMethod } from '#lib/identity/rules/sign-in-method.ts'
import type { Role } from './rules/roles.ts'

/** Who is calling, as the session row says it now. Times are ISO 8601. */
export interface Caller {
  /** By which the audit names the caller and limits count: `userUuid`, or `memberId` of a member without an account. */
  readonly id: string
  readonly sessionId: string
  /** The account at the service; null for a member who has none. */
  readonly userUuid: string | null
  /** Null for whoever is no member. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
  readonly email: string | null
  readonly method: SignInMethod
  /** When the person last proved who they are. */
  readonly signedInAt: string
  /** When the session is locked, or for end users over, without use. */
  readonly idleExpiresAt: string
  /** When the session ends at the latest. */
  readonly expiresAt: string
}
