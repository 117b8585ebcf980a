/** The parts of a sign-in message, EIP-4361; which values the service accepts is said in §5.2. */
export interface SiweParts {
  /** The service's API host, with no scheme. */
  readonly domain: string
  /** The wallet address with its EIP-55 checksum. */
  readonly address: string
  /** Printable ASCII in one line, without `%`, quotes and what the grammar leaves out. */
  readonly statement: string
  /** The login URL on that host. */
  readonly uri: string
  readonly chainId: number
  /** At least 16 letters and digits, never used before. */
  readonly nonce: string
  /** ISO 8601 with a zone, for instance `2026-01-31T12:00:00.000Z`. */
  readonly issuedAt: string
  /** ISO 8601, later than `issuedAt`. */
  readonly expirationTime: string
}

/** Writes the exact text that a wallet signs. Throws a RangeError that names the part that would break it. §5.2 */
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

/** The first part that cannot stand in a message, and why; null when all can. */
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

const domain = /^[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/
const address = /^0x[0-9a-fA-F]{40}$/
const statement = /^[A-Za-z0-9 :/?#[\]@!$&()*+,;=._~-]+$/
const nonce = /^[A-Za-z0-9]{16,}$/
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

const isTime = (text: string) => time.test(text) && !Number.isNaN(Date.parse(text))

function hostOf(uri: string): string | null {
  if (!/^https?:\/\/[!-~]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) return null
  return URL.parse(uri)?.host ?? null
}
