import 'server-only'
import { recoverMessageAddress } from 'viem'
import { z } from 'zod'
import type { ActionContext } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { readSignature } from '../rules/wallets.ts'
import type { IssuedChallenge } from './sign-in-with-wallet.ts'
import { createChallenge, findChallenge, type WalletAccountSchema } from './wallet-challenges.ts'

/** `issueSignUpChallenge` made the message, and the wallet signed it. */
export const WalletProofSchema = z.object({
  message: z.string().max(4_000),
  signature: z.string().max(20_000),
})

export type WalletProof = z.output<typeof WalletProofSchema>

/** The proof is one text field of a form, in JSON, because forms change line ends; empty without a wallet. */
export const WalletProofFieldSchema = z.preprocess(
  (text) => (typeof text === 'string' && text !== '' ? readJson(text) : undefined),
  WalletProofSchema.optional(),
)

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * The key of this wallet address signed a message that this server made for this browser, for a new account.
 * Throws `InvalidInput` with a message beside the field `wallet`.
 */
export async function proveWallet(
  { message, signature }: WalletProof,
  { browserId }: ActionContext,
): Promise<string> {
  const read = readSignature(signature)
  if (read.kind !== 'key')
    throw new InvalidInput({ wallet: read.kind === 'none' ? 'signature-unreadable' : 'smart-account' })
  const challenge = await findChallenge(message, 'sign-up', browserId, new Date())
  if (challenge.kind === 'refused') throw new InvalidInput({ wallet: challenge.why })
  const signer = await recoverMessageAddress({ message, signature: read.signature }).catch(nobody)
  if (signer?.toLowerCase() !== challenge.address.toLowerCase())
    throw new InvalidInput({ wallet: 'wallet-not-signed' })
  return challenge.address
}

/** No key can have made these sixty-five bytes. */
const nobody = () => null

/**
 * The message proves that a wallet belongs to the person who signs up. We check it ourselves, so it names this
 * dashboard, and no wallet warns of it. Throws `Refused`.
 */
export async function issueSignUpChallenge(
  account: z.output<typeof WalletAccountSchema>,
  { browserId, ip }: ActionContext,
): Promise<IssuedChallenge> {
  await refuseBeyondLimit('challenge-per-ip', ip, 'too-many-messages')
  const { publicUrl } = env()
  const parts = {
    ...account,
    purpose: 'sign-up',
    domain: publicUrl.host,
    uri: new URL('/sign-up', publicUrl).href,
    statement: 'Use this wallet for my new account. This costs nothing and moves no money.',
    clockOffsetMs: 0,
  } as const
  return { message: await createChallenge(parts, browserId), host: publicUrl.host, clockOffsetSeconds: 0 }
}
