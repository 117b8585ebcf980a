import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { recoverMessageAddress } from 'viem'
import { z } from 'zod'
import type { ActionContext, RequestContext } from '#lib/access/caller.ts'
import { env } from '#lib/platform/env.ts'
import { consumeLimit, refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { loginWithWallet } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import type { SignInReason } from '../rules/sign-in.ts'
import { loginUri, readSignature } from '../rules/wallets.ts'
import { inEvenTime } from './code-limits.ts'
import {
  completeSignIn,
  explainServiceRefusal,
  refuseSignIn,
  type SignInOutcome,
  walletRefusals,
} from './complete-sign-in.ts'
import {
  consumeChallenge,
  createChallenge,
  findChallenge,
  type WalletAccountSchema,
} from './wallet-challenges.ts'

export interface IssuedChallenge {
  /** The wallet signs exactly this text, and the page sends it back unchanged. */
  readonly message: string
  /** The wallet will name this host: the service's, or this dashboard's own. */
  readonly host: string
  /** The clock whose time the message has is ahead of ours by this many seconds; negative when it is behind. */
  readonly clockOffsetSeconds: number
}

/** The sign-in message (§5.2) is for one browser and one signature, in the time of the service's clock. Throws `Refused`. */
export async function issueChallenge(
  account: z.output<typeof WalletAccountSchema>,
  { browserId, ip }: ActionContext,
): Promise<IssuedChallenge> {
  await refuseBeyondLimit('challenge-per-ip', ip, 'too-many-sign-in-messages')
  const clockOffsetMs = await readClockOffset()
  const { serviceBaseUrl } = env()
  const parts = {
    ...account,
    purpose: 'sign-in',
    // ASSUMED: with its port when it is not the usual one, as RFC 3986 writes an authority.
    domain: serviceBaseUrl.host,
    uri: loginUri(serviceBaseUrl),
    statement: 'Sign in. This costs nothing and moves no money.',
    clockOffsetMs,
  } as const
  const message = await createChallenge(parts, browserId)
  return { message, host: serviceBaseUrl.host, clockOffsetSeconds: Math.round(clockOffsetMs / 1000) }
}

/**
 * The message must have been issued by this server to this browser, and signed once (§4.1, §5.2). All merchants
 * share the message's domain, so a signature made for another site must not work here. Neither words nor time of a
 * refusal reveal whether an account has the wallet.
 */
export function signInWithWallet(signed: SignedMessage, context: RequestContext): Promise<SignInOutcome> {
  return inEvenTime(exchangeSignature(signed, context), ({ kind }) => kind === 'signed-in')
}

interface SignedMessage {
  readonly message: string
  readonly signature: string
}

async function exchangeSignature(
  { message, signature }: SignedMessage,
  context: RequestContext,
): Promise<SignInOutcome> {
  const refuse = (why: SignInReason) => refuseSignIn(why, 'wallet', null, context)
  if ((await consumeLimit('wallet-per-ip', context.ip)) > 0) return refuse('too-many')
  const read = readSignature(signature)
  if (read.kind !== 'key') return refuse(read.kind === 'none' ? 'signature-unreadable' : 'smart-account')
  const challenge = await consumeChallenge(message, 'sign-in', context.browserId, new Date())
  if (challenge.kind === 'refused') return refuse(challenge.why)
  try {
    const session = await loginWithWallet(serviceClient(), { message, signature: read.signature })
    const outcome = await completeSignIn(session, { method: 'wallet', address: challenge.address }, context)
    return outcome.kind === 'refused' ? await refuse(outcome.why) : outcome
  } catch (error) {
    const why = await explainServiceRefusal(error, walletRefusals)
    const isOfWallet = why === 'wrong-wallet' || why === 'unknown-wallet'
    return refuse(isOfWallet && isOutOfServiceTime(message) ? 'clocks-differ' : why)
  }
}

/**
 * An offset that was read within this many milliseconds is used again; otherwise the service is asked, but for no
 * longer than this.
 */
const freshForMs = 60_000
const longestWaitMs = 1_500

/**
 * The service's clock is ahead of ours by this many milliseconds. When it cannot be asked in time, the last known
 * offset counts, or none.
 */
async function readClockOffset(): Promise<number> {
  const { clock } = serviceClient()
  if (clock.offsetMs(freshForMs) === null) await Promise.race([ask(), pause(longestWaitMs)])
  return clock.offsetMs() ?? 0
}

/** Any response gives the time, even a refusal. */
async function ask(): Promise<void> {
  try {
    await serviceClient().request({ method: 'GET', path: '/supported/countries' }, z.unknown())
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

/** A message that we issued is outside its own times by the service's clock, as its last response gave it. */
function isOutOfServiceTime(message: string): boolean {
  const offset = serviceClient().clock.offsetMs()
  if (offset === null) return false
  const [issued, expires] = [timeOf(message, 'Issued At'), timeOf(message, 'Expiration Time')]
  const there = Date.now() + offset
  return there + toleranceMs < issued || there > expires
}

/** The header has whole seconds, and a response takes some time to arrive. */
const toleranceMs = 15_000

const timeOf = (message: string, name: string) =>
  Date.parse(new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1] ?? '')

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
