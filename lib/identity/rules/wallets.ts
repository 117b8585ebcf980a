/**
 * A page that offers WalletConnect must be allowed to reach the relay, which carries encrypted messages between
 * page and wallet, and the frame that tells a wallet which page it is.
 */
export const walletConnectSources = {
  connect: ['wss://relay.walletconnect.org', 'https://verify.walletconnect.org'],
  frame: ['https://verify.walletconnect.org'],
} as const

/** A sign-in message has these parts (EIP-4361); §5.2 says which values the service accepts. */
export interface SiweParts {
  /** The domain is the service's API host, with no scheme. */
  readonly domain: string
  /** The wallet address has its EIP-55 checksum. */
  readonly address: string
  /** The statement is one line of printable ASCII, without `%`, quotes and other characters that the grammar excludes. */
  readonly statement: string
  /** The URI is the login URL on that host. */
  readonly uri: string
  readonly chainId: number
  /** The nonce has at least 16 letters and digits and was never used before. */
  readonly nonce: string
  /** The time is ISO 8601 with a zone, for instance `2026-01-31T12:00:00.000Z`. */
  readonly issuedAt: string
  /** The time is ISO 8601, later than `issuedAt`. */
  readonly expirationTime: string
}

/** The service names this address as the one where somebody signs in. §4.1 */
export const loginUri = (base: URL): string => `${base.href.replace(/\/+$/, '')}/auth/login`

/** The wallet signs exactly this text. Throws a RangeError that names the part that would break it. §5.2 */
export function writeSiweMessage(parts: SiweParts): string {
  const fault = findSiweProblem(parts)
  if (fault) throw new RangeError(`${fault.part} ${fault.why}`)
  return [
    `${parts.domain} wants you to sign in with your Ethereum account:`,
    parts.address,
    '',
    parts.statement,
    '',
    `URI: ${parts.uri}`,
    'Version: 1',
    `Chain ID: ${parts.chainId}`,
    `Nonce: ${parts.nonce}`,
    `Issued At: ${parts.issuedAt}`,
    `Expiration Time: ${parts.expirationTime}`,
  ].join('\n')
}

/** The first part that is not allowed in a message is returned with the reason; null when all are allowed. */
export function findSiweProblem(parts: SiweParts): { part: keyof SiweParts; why: string } | null {
  const uriHost = hostOf(parts.uri)
  if (!domain.test(parts.domain)) return { part: 'domain', why: 'must be a host, with or without a port' }
  if (!address.test(parts.address)) return { part: 'address', why: 'must be 0x and 40 hexadecimal digits' }
  if (!statement.test(parts.statement)) {
    return { part: 'statement', why: 'must be one line of plain ASCII without quotes or %' }
  }
  if (uriHost === null) return { part: 'uri', why: 'must be an http or https address' }
  if (uriHost !== parts.domain && uriHost.replace(/:\d+$/, '') !== parts.domain) {
    return { part: 'uri', why: 'must be on the host named by domain' }
  }
  if (!Number.isSafeInteger(parts.chainId) || parts.chainId < 1) {
    return { part: 'chainId', why: 'must be a positive integer' }
  }
  if (!nonce.test(parts.nonce)) return { part: 'nonce', why: 'must be at least 16 letters and digits' }
  if (!isTime(parts.issuedAt)) return { part: 'issuedAt', why: 'must be an ISO 8601 time' }
  if (!isTime(parts.expirationTime)) return { part: 'expirationTime', why: 'must be an ISO 8601 time' }
  if (Date.parse(parts.expirationTime) <= Date.parse(parts.issuedAt)) {
    return { part: 'expirationTime', why: 'must be later than issuedAt' }
  }
  return null
}

const domain = /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/
const address = /^0x[0-9a-fA-F]{40}$/
const statement = /^[A-Za-z0-9 :/?#[\]@!$&()*+,;=._~-]+$/
const nonce = /^[A-Za-z0-9]{16,}$/
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

const isTime = (text: string) => time.test(text) && !Number.isNaN(Date.parse(text))

function hostOf(uri: string): string | null {
  if (!/^https?:\/\/[!-~]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) return null
  return URL.parse(uri)?.host ?? null
}

/** `none`: no key or contract could have made these bytes. */
type ReadSignature =
  | { readonly kind: 'key'; readonly signature: `0x${string}` }
  | { readonly kind: 'smart-account' | 'none' }

/**
 * A wallet's signature is classified by its shape. The service checks "the address that signed" (§4.1), which
 * only an ordinary key's signature gives; smart accounts (ERC-1271, ERC-6492) have longer ones. A key's
 * signature is returned in the form that every verifier accepts: 65 bytes, lower case, low s, v 27 or 28.
 */
export function readSignature(text: string): ReadSignature {
  const hex = text.trim().toLowerCase().replace(/^0x/, '')
  if (!/^(?:[0-9a-f]{2})*$/.test(hex) || hex.length < 128) return { kind: 'none' }
  if (hex.length > 130) return { kind: 'smart-account' }
  const r = hex.slice(0, 64)
  const s = BigInt(`0x${hex.slice(64, 128)}`)
  if (hex.length === 128) return spell(r, s & (topBit - 1n), s >= topBit)
  const v = Number.parseInt(hex.slice(128), 16)
  const odd = isOdd(v)
  return odd === null ? { kind: 'none' } : spell(r, s, odd)
}

/** Hardware wallets use v 0 or 1, others 27 or 28, or a value that names a chain (EIP-155). */
function isOdd(v: number): boolean | null {
  if (v <= 1) return v === 1
  if (v === 27 || v === 28) return v === 28
  return v >= 35 ? (v - 35) % 2 === 1 : null
}

/** Each signature has a twin with the other s and the other v; strict verifiers accept the one with the lower s (EIP-2). */
function spell(r: string, s: bigint, odd: boolean): ReadSignature {
  const isHigh = s > order / 2n && s < order
  const low = (isHigh ? order - s : s).toString(16).padStart(64, '0')
  return { kind: 'key', signature: `0x${r}${low}${odd === isHigh ? '1b' : '1c'}` }
}

/** EIP-2098 keeps v in this bit. */
const topBit = 1n << 255n

/** The order is that of the curve secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
