import { SiweMessage } from 'siwe'
import { addSeconds } from '../time/clock.ts'

export interface MessageRules {
  /** The service's base address, e.g. http://localhost:4010/onboarding. */
  readonly publicUrl: string
  readonly now: Date
  /** The longest accepted time from issue to expiry, in minutes; 0 for any. */
  readonly longestMinutes: number
}

export type CheckedMessage =
  | { kind: 'accepted'; address: `0x${string}`; nonce: string }
  | { kind: 'refused'; why: string }

/** Checks every field of an EIP-4361 message against §5.2, apart from its signature and whether its nonce is new. */
export function checkSignInMessage(text: string, rules: MessageRules): CheckedMessage {
  const message = parse(text)
  const why = message ? findFault(message, rules) : 'The message is not in the EIP-4361 layout'
  if (!message || why) return { kind: 'refused', why: why ?? '' }
  return { kind: 'accepted', address: `0x${message.address.slice(2)}`, nonce: message.nonce }
}

/**
 * The strict grammar: the parsed message, written out again, must equal the text, so that no line can hide in
 * another.
 */
function parse(text: string): SiweMessage | undefined {
  try {
    const message = new SiweMessage(text)
    return message.toMessage() === text ? message : undefined
  } catch {
    return undefined
  }
}

function findFault(
  message: SiweMessage,
  { publicUrl, now, longestMinutes }: MessageRules,
): string | undefined {
  const { host, hostname } = new URL(publicUrl)
  // ASSUMED: with or without the port, as clients of such services send it either way.
  if (message.scheme || (message.domain !== host && message.domain !== hostname))
    return `domain must be ${host}`
  if (message.uri !== `${publicUrl}/auth/login`) return `uri must be ${publicUrl}/auth/login`
  if (message.version !== '1') return 'version must be 1'
  if (!Number.isSafeInteger(message.chainId) || message.chainId < 1)
    return 'Chain ID must be a positive integer'
  // ASSUMED: not more than 128 characters, so that it can be kept as used.
  if (!/^[A-Za-z0-9]{8,128}$/.test(message.nonce)) return 'nonce must be 8 to 128 letters and digits'
  return findTimeFault(message, now, longestMinutes)
}

function findTimeFault(message: SiweMessage, now: Date, longestMinutes: number): string | undefined {
  const issued = timeOf(message.issuedAt)
  const expires = timeOf(message.expirationTime)
  if (!issued) return 'Issued At must be an ISO 8601 time'
  if (!expires) return 'Expiration Time must be an ISO 8601 time'
  // ASSUMED: a client's clock may run 5 minutes ahead of the service's.
  if (issued > addSeconds(now, 5 * 60)) return 'Issued At lies in the future'
  if (expires <= now) return 'The message has expired'
  if (expires <= issued) return 'Expiration Time must be after Issued At'
  if (message.notBefore && !(new Date(message.notBefore) <= now)) return 'The message is not valid yet'
  const minutes = (expires.getTime() - issued.getTime()) / 60_000
  if (longestMinutes > 0 && minutes > longestMinutes)
    return `The message may be valid for ${longestMinutes} minutes`
  return undefined
}

function timeOf(text: string | undefined): Date | undefined {
  const time = new Date(text ?? '')
  return Number.isNaN(time.getTime()) ? undefined : time
}
