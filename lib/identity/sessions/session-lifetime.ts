import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import { env, type SessionLifetime } from '#lib/platform/env.ts'

/** How long a session of this role lives, in minutes: without use, and at the latest. */
export function sessionLifetime(role: Role): SessionLifetime {
  const { staff, endUser } = env().sessions
  return role === 'end-user' ? endUser : staff
}

/** Minutes after which no session of anybody lives. */
export function longestMinutes(): number {
  const { staff, endUser } = env().sessions
  return Math.max(staff.longestMinutes, endUser.longestMinutes)
}

interface SessionTimes {
  readonly createdAt: Date
  readonly lastSeenAt: Date
  readonly idleExpiresAt: Date
  readonly expiresAt: Date
}

/** When a session is locked without use, and when it ends at the latest, in milliseconds; a role gained meanwhile counts. */
export function sessionEnds(
  row: SessionTimes,
  role: Role,
): { readonly idle: number; readonly latest: number } {
  const { idleMinutes, longestMinutes } = sessionLifetime(role)
  return {
    idle: Math.min(row.idleExpiresAt.getTime(), row.lastSeenAt.getTime() + idleMinutes * 60_000),
    latest: Math.min(row.expiresAt.getTime(), row.createdAt.getTime() + longestMinutes * 60_000),
  }
}
