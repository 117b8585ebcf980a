import 'server-only'
import { digestToken } from '#lib/auth/token.ts'
import { prisma } from '#lib/db/prisma.ts'

/**
 * Marks the message as used with one atomic UPDATE: of several concurrent attempts one succeeds.
 * @returns null when it was taken, otherwise why not
 */
export async function consumeChallenge(
  message: string,
  browserId: string | null,
  now: Date,
): Promise<'message-unknown' | 'message-used' | 'message-expired' | null> {
  const nonce = /^Nonce: ([A-Za-z0-9]+)$/m.exec(message)?.[1]
  if (!nonce || browserId === null) return 'message-unknown'
  const exactly = { nonce, message, browserDigest: digestToken(browserId) }
  const taken = await prisma().challenge.updateMany({
    where: { ...exactly, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  if (taken.count === 1) return null
  const issued = await prisma().challenge.findFirst({ where: exactly })
  if (!issued) return 'message-unknown'
  return issued.usedAt ? 'message-used' : 'message-expired'
}
