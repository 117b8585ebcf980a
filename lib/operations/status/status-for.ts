import 'server-only'
import { may, type Role } from '#lib/access/rules/roles.ts'
import { type LiveStatus, type LookCounts, lookCountLimit } from '../rules/health.ts'
import { mayKnowLook } from '../rules/may-know-look.ts'
import type { Status } from './read-status.ts'

/** What of it a role may know; null for customers, who are told nothing of how others stand. */
export function statusFor(role: Role, { at, health, counts: all }: Status): LiveStatus | null {
  if (!may(role, 'see-everything')) return null
  const mayKnow = may(role, 'see-endpoint-health')
  const counts = countsFor(role, all)
  return {
    at,
    health: mayKnow ? health : null,
    counts: mayKnow ? counts : { ...counts, gaps: null, endpoints: null },
  }
}

/** Those who may not know how checks of money laundering went do not learn from a number that one went badly. */
function countsFor(role: Role, { checks, people, ...counts }: Status['counts']): LookCounts {
  if (checks === null || people === null || !mayKnowLook(role, 'aml'))
    return { ...counts, people: atMost(people) }
  return { ...counts, people: atMost(people + checks) }
}

const atMost = (count: number | null) => count && Math.min(count, lookCountLimit)
