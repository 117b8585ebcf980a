import 'server-only'
import crypto from 'node:crypto'
import { z } from 'zod'
import { digestToken } from '#lib/auth/token.ts'
import { prisma } from '#lib/db/prisma.ts'
import { writeSiweMessage } from '#lib/domain/sign-in/siwe-message.ts'
import { env } from '#lib/env.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
import { consumeLimit } from '#lib/limits/limits.ts'
import { refuseWithWait } from '#lib/limits/refuse-with-wait.ts'
import { WalletAddressSchema } from './wallet-address.ts'

export const IssueChallengeSchema = z.object({
  address: WalletAddressSchema,
  chainId: z.coerce
    .number('This is not the number of a chain.')
    .refine((id) => Number.isSafeInteger(id) && id > 0, 'This is not the number of a chain.'),
})

export interface IssuedChallenge {
  /** The exact text to sign, and to send back unchanged. */
  readonly message: string
  /** The service's host, which the wallet will name. */
  readonly host: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** §5.2 recommends 2 to 4 hours. */
const lifetimeMs = 3 * 3_600_000

/** Makes the sign-in message (§5.2) for one browser and exactly one signature. Throws `Refused`. */
export async function issueChallenge(
  { address, chainId }: z.output<typeof IssueChallengeSchema>,
  { browserId, ip }: ActionContext,
): Promise<IssuedChallenge> {
  const wait = await consumeLimit('challenge-per-ip', ip)
  if (wait > 0) throw refuseWithWait(wait, 'Too many sign-in messages were asked for.')
  const issuedAt = new Date()
  const expiresAt = new Date(issuedAt.getTime() + lifetimeMs)
  const nonce = makeNonce()
  const { serviceBaseUrl } = env()
  const message = writeSiweMessage({
    // ASSUMED: with its port where it is not the usual one, as RFC 3986 writes an authority.
    domain: serviceBaseUrl.host,
    address,
    statement: 'Sign in. This costs nothing and moves no money.',
    uri: `${serviceBaseUrl.href.replace(/\/+$/, '')}/auth/login`,
    chainId,
    nonce,
    issuedAt: issuedAt.toISOString(),
    expirationTime: expiresAt.toISOString(),
  })
  const browserDigest = digestToken(browserId)
  await prisma().challenge.create({
    data: { nonce, browserDigest, address, chainId: BigInt(chainId), message, issuedAt, expiresAt },
  })
  return { message, host: serviceBaseUrl.host, expiresAt: expiresAt.toISOString() }
}

/** 128 bits as 32 hexadecimal digits: the grammar allows letters and digits only. */
const makeNonce = () => crypto.randomBytes(16).toString('hex')
