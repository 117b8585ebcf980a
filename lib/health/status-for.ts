import 'server-only'
import { may, type Role } from '#lib/domain/access/roles.ts'
import type { LiveStatus } from '#lib/domain/health/health.ts'
import type { Status } from './read-status.ts'

/** What of it a role may know; null for customers, who are told nothing of how others stand. */
export function statusFor(role: Role, { at, health, counts }: Status): LiveStatus | null {
  if (!may(role, 'see-everything')) return null
  const mayKnow = may(role, 'see-endpoint-health')
  return {
    at,
    health: mayKnow ? health : null,
    counts: mayKnow ? counts : { ...counts, gaps: null, endpoints: null },
  }
}
