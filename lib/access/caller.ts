import 'server-only'
import type { SignInMethod } from '#lib/identity/rules/sign-in.ts'
import { NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { may, type Permission, type Role } from './rules/roles.ts'

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

/** Where a call comes from, as the audit keeps it. */
export interface CallSource {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Where a browser's request comes from. */
export interface RequestContext extends CallSource {
  /** The random id of this browser's own cookie; null when it has none. */
  readonly browserId: string | null
}

/** In a server action the browser always has an id: it is given one. */
export interface ActionContext extends RequestContext {
  readonly browserId: string
}

/** For what this server does by itself. */
export const noCallSource: CallSource = { ip: null, userAgent: null }

/** For use cases. Throws `NotAllowed` when the caller's role does not carry the permission. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (!may(caller.role, permission)) throw new NotAllowed()
}

/** Whose transactions and events a caller sees: everybody's (null), or those of one `user_uuid`. Throws `NotAllowed`. */
export function visibleTo(caller: Caller): string | null {
  if (may(caller.role, 'see-everything')) return null
  requirePermission(caller, 'see-own')
  // Null means everybody's: whoever has no account must not get that.
  if (caller.userUuid === null) throw new NotAllowed()
  return caller.userUuid.toLowerCase()
}

/** How long a sign-in counts as fresh, in milliseconds (decision 0043). */
const freshFor = 15 * 60_000

/** Whether the person proved who they are within the last 15 minutes. */
export const isFreshlySignedIn = ({ signedInAt }: Pick<Caller, 'signedInAt'>, now = new Date()): boolean =>
  now.getTime() - Date.parse(signedInAt) < freshFor

/** For actions that cannot be undone. Throws `SignInAgain` when the last sign-in is too long ago. */
export function requireFreshSignIn(caller: Caller): void {
  if (!isFreshlySignedIn(caller)) throw new SignInAgain()
}

/** The caller's account at the service, in lower case. Throws `Refused` for a member of staff who has none. */
export function requireServiceUser({ userUuid }: Caller): string {
  if (userUuid === null) throw new Refused(noAccount)
  return userUuid.toLowerCase()
}

const noAccount = {
  title: 'You have no account at the payment service.',
  next: 'You are signed in as a member of the team, who needs none. What belongs to a customer is on that customer’s page.',
}
