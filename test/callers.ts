import crypto from 'node:crypto'
import type { Caller } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { ActionContext } from '../lib/access/caller.ts'

/** The caller has a role, for use cases that take one. Files share some callers, so each has always just signed in. */
export function callerWith(role: Role, given: Partial<Caller> = {}): Caller {
  const now = new Date().toISOString()
  const { userUuid = crypto.randomUUID(), memberId = role === 'end-user' ? null : crypto.randomUUID() } =
    given
  return {
    id: userUuid ?? memberId ?? '',
    sessionId: crypto.randomUUID(),
    userUuid,
    memberId,
    role,
    name: null,
    email: null,
    method: 'code',
    get signedInAt() {
      return new Date().toISOString()
    },
    idleExpiresAt: now,
    expiresAt: now,
    ...given,
  }
}

/** The browser has its own address, so that it meets no limit of another test. */
export function newBrowser(): ActionContext {
  return { ip: crypto.randomUUID().slice(0, 40), userAgent: 'test', browserId: crypto.randomUUID() }
}
