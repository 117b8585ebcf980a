import 'server-only'
import crypto from 'node:crypto'
import { z } from 'zod'
import { prisma } from '#lib/platform/db/prisma.ts'
import { type SiweParts, writeSiweMessage } from '../rules/siwe-message.ts'
import { digestToken } from '../sessions/token.ts'
import type { ChallengePurpose } from './consume-challenge.ts'
import { WalletAddressSchema } from './wallet-address.ts'

/** The account of a wallet that is to sign. */
export const WalletAccountSchema = z.object({
  address: WalletAddressSchema,
  chainId: z.coerce
    .number('This is not the number of a chain.')
    .refine((id) => Number.isSafeInteger(id) && id > 0, 'This is not the number of a chain.'),
})

export interface ChallengeParts
  extends Pick<SiweParts, 'domain' | 'uri' | 'statement' | 'address' | 'chainId'> {
  readonly purpose: ChallengePurpose
  /** Milliseconds by which the clock of whoever checks the message is ahead of ours. */
  readonly clockOffsetMs: number
}

/** §5.2 recommends 2 to 4 hours. */
const lifetimeMs = 3 * 3_600_000

/** Makes a message for one browser and exactly one signature. Answers its text. */
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

/** 128 bits as 32 hexadecimal digits: the grammar allows letters and digits only. */
const makeNonce = () => crypto.randomBytes(16).toString('hex')
