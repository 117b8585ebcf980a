import crypto from 'node:crypto'
import type { Caller } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { ActionContext } from '../lib/access/caller.ts'

/** Somebody with a role, for use cases that are given their caller. */
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
    signedInAt: now,
    idleExpiresAt: now,
    expiresAt: now,
    ...given,
  }
}

/** A browser of its own, at an address of its own, so that no limit of another test is met. */
export function newBrowser(): ActionContext {
  return { ip: crypto.randomUUID().slice(0, 40), userAgent: 'test', browserId: crypto.randomUUID() }
}
