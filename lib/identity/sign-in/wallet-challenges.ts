import 'server-only'
import crypto from 'node:crypto'
import { getAddress, isAddress } from 'viem'
import { z } from 'zod'
import { prisma } from '#lib/platform/db/prisma.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { pastedText } from '#lib/platform/forms/fields.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { fieldCode } from '#lib/words/labels/refusals.ts'
import { type SiweParts, writeSiweMessage } from '../rules/wallets.ts'

/** The wallet address has its EIP-55 checksum; one typed in mixed case must have the right one. */
const WalletAddressSchema = z
  .string(fieldCode('not-an-address'))
  .pipe(pastedText(fieldCode('address-form')))
  .pipe(z.string().regex(/^0x[0-9a-fA-F]{40}$/, fieldCode('address-form')))
  .refine((text) => !isMixedCase(text) || isAddress(text, { strict: true }), fieldCode('address-checksum'))
  .transform((text) => getAddress(text))

function isMixedCase(address: string): boolean {
  const digits = address.slice(2)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}

/** The wallet with this account is to sign. */
export const WalletAccountSchema = z.object({
  address: WalletAddressSchema,
  chainId: z.coerce
    .number(fieldCode('not-a-chain'))
    .refine((id) => Number.isSafeInteger(id) && id > 0, fieldCode('not-a-chain')),
})

interface ChallengeParts extends Pick<SiweParts, 'domain' | 'uri' | 'statement' | 'address' | 'chainId'> {
  readonly purpose: ChallengePurpose
  /** The clock that checks the message is ahead of ours by this many milliseconds. */
  readonly clockOffsetMs: number
}

/** §5.2 recommends 2 to 4 hours. */
const lifetimeMs = 3 * 3_600_000

/** The message is for one browser and one signature. The result is its text. */
export async function createChallenge(
  { purpose, clockOffsetMs, ...parts }: ChallengeParts,
  browserId: string,
): Promise<string> {
  const issuedAt = new Date()
  const expiresAt = new Date(issuedAt.getTime() + lifetimeMs)
  const byTheirClock = (time: Date) => new Date(time.getTime() + clockOffsetMs).toISOString()
  const nonce = makeNonce()
  const message = writeSiweMessage({
    ...parts,
    nonce,
    issuedAt: byTheirClock(issuedAt),
    expirationTime: byTheirClock(expiresAt),
  })
  const { address, chainId } = parts
  const browserDigest = digestToken(browserId)
  const row = {
    nonce,
    browserDigest,
    address,
    chainId: BigInt(chainId),
    message,
    purpose,
    issuedAt,
    expiresAt,
  }
  await prisma().challenge.create({ data: row })
  return message
}

/** The grammar allows only letters and digits: 128 bits become 32 hexadecimal digits. */
const makeNonce = () => crypto.randomBytes(16).toString('hex')

/** The signature is for signing in, which the service checks, or for a new account, which we check ourselves. */
type ChallengePurpose = 'sign-in' | 'sign-up'

/** The message was made for this address, or is invalid for this reason. */
type FoundChallenge =
  | { readonly kind: 'issued'; readonly address: string }
  | { readonly kind: 'refused'; readonly why: 'message-unknown' | 'message-used' | 'message-expired' }

/** One atomic UPDATE marks the message as used: of several concurrent attempts one succeeds. */
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

/** This very message was issued to this browser and is still valid; it stays valid. */
export async function findChallenge(
  message: string,
  purpose: ChallengePurpose,
  browserId: string | null,
  now: Date,
): Promise<FoundChallenge> {
  const nonce = nonceOf(message)
  if (nonce === null || browserId === null) return { kind: 'refused', why: 'message-unknown' }
  const issued = await prisma().challenge.findFirst({
    where: { nonce, message: textParameter(message), purpose, browserDigest: digestToken(browserId) },
  })
  if (!issued) return { kind: 'refused', why: 'message-unknown' }
  if (issued.usedAt) return { kind: 'refused', why: 'message-used' }
  if (issued.expiresAt <= now) return { kind: 'refused', why: 'message-expired' }
  return { kind: 'issued', address: issued.address }
}

const nonceOf = (message: string): string | null => /^Nonce: ([A-Za-z0-9]+)$/m.exec(message)?.[1] ?? null
