import 'server-only'
import { uuidv7 } from 'uuidv7'
import { prisma } from '#lib/db/prisma.ts'
import { findMembership } from '#lib/team/find-membership.ts'
import type { CallSource } from './request-context.ts'
import { seal } from './seal.ts'
import { sessionLifetime } from './session-lifetime.ts'
import { digestToken, randomToken } from './token.ts'

export interface SignedIn {
  readonly userUuid: string
  readonly method: 'wallet' | 'code'
  readonly serviceSessionId: string
}

/** Starts a session. Its token, which only the cookie holds, is answered and not kept. */
export async function openSession(
  { userUuid, method, serviceSessionId }: SignedIn,
  { userAgent, ip }: CallSource,
  now: Date,
): Promise<string> {
  const id = uuidv7()
  const token = randomToken()
  const { role } = await findMembership(userUuid)
  const { idleMinutes, longestMinutes } = sessionLifetime(role)
  const sealed = seal(serviceSessionId, id)
  await prisma().session.create({
    data: {
      id,
      tokenDigest: digestToken(token),
      userUuid,
      method,
      role,
      serviceSession: sealed.bytes,
      serviceKeyId: sealed.keyId,
      userAgent,
      ip,
      createdAt: now,
      signedInAt: now,
      lastSeenAt: now,
      idleExpiresAt: inMinutes(now, idleMinutes),
      expiresAt: inMinutes(now, longestMinutes),
    },
  })
  return token
}

const inMinutes = (from: Date, minutes: number) => new Date(from.getTime() + minutes * 60_000)
