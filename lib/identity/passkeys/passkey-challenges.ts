import 'server-only'
import { prisma } from '#lib/platform/db/prisma.ts'
import type { SignInRefusal } from '../rules/sign-in-refusal.ts'
import { digestToken, randomToken } from '../sessions/token.ts'

/** What a passkey's answer is good for. */
export type PasskeyPurpose = 'register' | 'sign-in' | 'confirm'

/** Minutes that a passkey has to answer. */
const lifetimeMinutes = 5

/** Makes a challenge for this browser and purpose; of a known member, for theirs alone. */
export async function issuePasskeyChallenge(
  purpose: PasskeyPurpose,
  browserId: string,
  memberId: string | null,
): Promise<string> {
  const challenge = randomToken()
  const expiresAt = new Date(Date.now() + lifetimeMinutes * 60_000)
  await prisma().passkeyChallenge.create({
    data: { challenge, browserDigest: digestToken(browserId), purpose, memberId, expiresAt },
  })
  return challenge
}

export type ConsumedChallenge =
  | { readonly kind: 'consumed'; readonly memberId: string | null }
  | { readonly kind: 'refused'; readonly why: SignInRefusal }

/** Marks a challenge as used, with one atomic UPDATE: of several answers at once one is taken. */
export async function consumePasskeyChallenge(
  purpose: PasskeyPurpose,
  challenge: string,
  browserId: string | null,
  now: Date,
): Promise<ConsumedChallenge> {
  if (browserId === null) return { kind: 'refused', why: 'passkey-other-browser' }
  const exactly = { challenge, purpose, browserDigest: digestToken(browserId) }
  const [row] = await prisma().passkeyChallenge.updateManyAndReturn({
    where: { ...exactly, usedAt: null, expiresAt: { gt: now } },
    data: { usedAt: now },
  })
  if (row) return { kind: 'consumed', memberId: row.memberId }
  const issued = await prisma().passkeyChallenge.findFirst({ where: exactly })
  if (!issued) return { kind: 'refused', why: 'passkey-other-browser' }
  return { kind: 'refused', why: issued.usedAt ? 'passkey-used' : 'passkey-expired' }
}
