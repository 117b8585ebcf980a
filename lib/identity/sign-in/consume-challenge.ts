import 'server-only'
import { prisma } from '#lib/platform/db/prisma.ts'
import { digestToken } from '../sessions/token.ts'

/** What is signed for: signing in, which the service checks, or a new account, which we check ourselves. */
export type ChallengePurpose = 'sign-in' | 'sign-up'

/** For whose address the message was made, or why it is worth nothing. */
export type FoundChallenge =
  | { readonly kind: 'issued'; readonly address: string }
  | { readonly kind: 'refused'; readonly why: 'message-unknown' | 'message-used' | 'message-expired' }

/**
 * Marks the message as used with one atomic UPDATE: of several concurrent attempts one succeeds.
 */
export async function consumeChallenge(
  message: string,
  purpose: ChallengePurpose,
  browserId: string | null,
  now: Date,
): Promise<FoundChallenge> {
  const found = await findChallenge(message, purpose, browserId, now)
  if (found.kind === 'refused') return found
  const { count } = await prisma().challenge.updateMany({
    where: { nonce: nonceOf(message) ?? '', usedAt: null },
    data: { usedAt: now },
  })
  return count === 1 ? found : { kind: 'refused', why: 'message-used' }
}

/** Looks whether this very message was issued to this browser and is still good; it stays so. */
export async function findChallenge(
  message: string,
  purpose: ChallengePurpose,
  browserId: string | null,
  now: Date,
): Promise<FoundChallenge> {
  const nonce = nonceOf(message)
  if (nonce === null || browserId === null) return { kind: 'refused', why: 'message-unknown' }
  const issued = await prisma().challenge.findFirst({
    where: { nonce, message, purpose, browserDigest: digestToken(browserId) },
  })
  if (!issued) return { kind: 'refused', why: 'message-unknown' }
  if (issued.usedAt) return { kind: 'refused', why: 'message-used' }
  if (issued.expiresAt <= now) return { kind: 'refused', why: 'message-expired' }
  return { kind: 'issued', address: issued.address }
}

const nonceOf = (message: string): string | null => /^Nonce: ([A-Za-z0-9]+)$/m.exec(message)?.[1] ?? null
