import 'server-only'
import type { SignInMethod } from '#lib/identity/rules/sign-in.ts'
import { NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { may, type Permission, type Role, type RoleWith } from './rules/roles.ts'

/** `Caller` is who calls, read from the session row at this moment. Times are ISO 8601. */
export interface Caller {
  /**
   * The audit names the caller by `id`, and limits count by it: `userUuid`, or `memberId` for a member without an account.
   */
  readonly id: string
  readonly sessionId: string
  /** `userUuid` names the account at the service; it is null for a member who has none. */
  readonly userUuid: string | null
  /** `memberId` is null for a caller who is not a member. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
  readonly email: string | null
  readonly method: SignInMethod
  /** The person last proved who they are at this time. */
  readonly signedInAt: string
  /** A session that is not used is locked at this time; the session of an end user ends. */
  readonly idleExpiresAt: string
  /** The session ends at this time at the latest. */
  readonly expiresAt: string
}

/** The audit keeps where each call comes from. */
export interface CallSource {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** A browser's request also carries the browser's id. */
export interface RequestContext extends CallSource {
  /** The browser's own cookie holds this random id; null when the browser has none. */
  readonly browserId: string | null
}

/** A browser that calls a server action always has an id, because it is given one. */
export interface ActionContext extends RequestContext {
  readonly browserId: string
}

/** The server uses this for calls that it makes by itself. */
export const noCallSource: CallSource = { ip: null, userAgent: null }

/** A caller whose role carries the permission. */
export type CallerWith<P extends Permission> = Caller & { readonly role: RoleWith<P> }

/** Use cases call this first. It throws `NotAllowed` when the caller's role does not carry the permission. */
export function requirePermission<P extends Permission>(
  caller: Caller,
  permission: P,
): asserts caller is CallerWith<P> {
  if (!may(caller.role, permission)) throw new NotAllowed()
}

/** The caller sees the transactions and events of everybody (null), or of one `user_uuid`. Throws `NotAllowed`. */
export function visibleTo(caller: Caller): string | null {
  if (may(caller.role, 'see-everything')) return null
  requirePermission(caller, 'see-own')
  // Null means everybody, so a caller without an account must not get it.
  if (caller.userUuid === null) throw new NotAllowed()
  return caller.userUuid.toLowerCase()
}

/** A sign-in counts as fresh for this many milliseconds (decision 0043). */
const freshFor = 15 * 60_000

/** A sign-in is fresh when the person proved who they are within the last 15 minutes. */
export const isFreshlySignedIn = ({ signedInAt }: Pick<Caller, 'signedInAt'>, now = new Date()): boolean =>
  now.getTime() - Date.parse(signedInAt) < freshFor

/** Actions that cannot be undone call this. It throws `SignInAgain` when the last sign-in is too long ago. */
export function requireFreshSignIn(caller: Caller): void {
  if (!isFreshlySignedIn(caller)) throw new SignInAgain()
}

/** This returns the caller's account at the service, in lower case. It throws `Refused` for a member without one. */
export function requireServiceUser({ userUuid }: Caller): string {
  if (userUuid === null) throw new Refused('no-account')
  return userUuid.toLowerCase()
}
