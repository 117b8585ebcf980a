import { randomBytes } from 'node:crypto'

/** The lines of a sign-in message (§5.2) are texts, so that a check can make any of them wrong. */
export interface MessageParts {
  readonly domain: string
  readonly address: string
  readonly statement: string
  readonly uri: string
  readonly version: string
  readonly chainId: string
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string
}

/** With this message `address` may sign in at `now`. It was issued a minute ago and is valid for three hours. */
export function rightParts(baseUrl: string, address: string, now: Date): MessageParts {
  return {
    domain: new URL(baseUrl).host,
    address,
    statement: 'Sign in to check the contract.',
    uri: `${baseUrl}/auth/login`,
    version: '1',
    chainId: '137',
    nonce: newNonce(),
    issuedAt: after(now, -60),
    expirationTime: after(now, 3 * 3_600),
  }
}

/** The layout is that of §5.2. */
export const writeMessage = (parts: MessageParts) =>
  [
    `${parts.domain} wants you to sign in with your Ethereum account:`,
    parts.address,
    '',
    parts.statement,
    '',
    `URI: ${parts.uri}`,
    `Version: ${parts.version}`,
    `Chain ID: ${parts.chainId}`,
    `Nonce: ${parts.nonce}`,
    `Issued At: ${parts.issuedAt}`,
    `Expiration Time: ${parts.expirationTime}`,
  ].join('\n')

const newNonce = () => randomBytes(12).toString('hex')

/** The result is ISO 8601, `seconds` after `moment`. */
export const after = (moment: Date, seconds: number) =>
  new Date(moment.getTime() + seconds * 1_000).toISOString()
