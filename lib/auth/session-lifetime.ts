import 'server-only'
import type { Role } from '#lib/domain/access/roles.ts'

/**
 * How long a session lives, in minutes: without use, and at the latest.
 * ASSUMED: a working day for staff, an hour without use for end users, a day at the latest for all.
 */
export const sessionLifetime = (role: Role) =>
  role === 'end-user' ? { idleMinutes: 60, longestMinutes } : { idleMinutes: 12 * 60, longestMinutes }

export const longestMinutes = 24 * 60
