import 'server-only'
import { type IncomingMessage, METHODS } from 'node:http'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { uuidPattern } from '../rules/ids.ts'

/** A listener sees this head of a request before it knows the path. */
type Head = Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersion'>

/** Nearly all deliveries have this form of address: every parser reads it alike, and the check is fast. */
const plainDelivery = /^\/api\/webhooks\/[\w-]+$/
export const isPlainDelivery = (url: string | undefined): boolean => plainDelivery.test(url ?? '')

/**
 * `isAmbiguous` is true for a request that servers may read differently: a target with a host, `*`, dot segments (also
 * encoded), a backslash, a fragment or needlessly encoded letters; or no host, two, or an invalid one. A check of the path
 * must see the path that is answered.
 */
export const isAmbiguous = (
  { url = '', rawHeaders, httpVersion }: Head,
  isPlain = isPlainDelivery(url),
): boolean => (!isPlain && !isTarget(url)) || !isHost(rawHeaders, httpVersion)

/**
 * `meantTarget` corrects a target that a proxy rewrote: an address with the requested host becomes its path, and a
 * delivery's path is normalised, since its secret decides what is accepted. Any other target stays unchanged.
 */
export function meantTarget({
  method,
  url = '',
  headers: { host: asked },
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): string {
  // The target is the server itself (RFC 9110 §9.3.7), as in health checks.
  if (url === '*' && method === 'OPTIONS') return '/'
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  const delivery = deliveryIn(rest ?? url)
  if (delivery !== null) return delivery
  if (rest === undefined || authority?.toLowerCase() !== asked?.toLowerCase()) return url
  return rest.startsWith('/') ? rest : `/${rest}`
}

function deliveryIn(target: string): string | null {
  const [path = ''] = target.split(/[?#]/, 1)
  let decoded: string
  try {
    decoded = decodeURIComponent(path)
  } catch {
    return null
  }
  const resolved = URL.parse(`http://localhost${decoded.replaceAll(/[\\/]+/g, '/')}`)?.pathname ?? ''
  const [, receiverId] = ofDelivery.exec(resolved) ?? []
  return receiverId === undefined ? null : `/api/webhooks/${receiverId}`
}

/** A path after the receiver's id was added on the way. */
const ofDelivery = new RegExp(`^/api/webhooks/(${uuidPattern})(?:/.*)?$`, 'i')

function isTarget(url: string): boolean {
  const [path = ''] = url.split('?', 1)
  return (
    path.startsWith('/') &&
    !path.startsWith('//') &&
    !ambiguous.some((sign) => sign.test(path)) &&
    !/#/.test(url)
  )
}

const ambiguous = [
  // These are all characters except printable ASCII, and the backslash, which a browser reads as a slash.
  /[^!-~]|\\/,
  /(?:^|\/|%2f|%5c)\.{1,2}(?:$|\/|%2f|%5c)/i,
  // Nobody encodes letters, digits and `-._~` (RFC 3986 §2.3).
  /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i,
  // Next reads this segment as the prototype of its parameters.
  /\/__proto__(?:\/|$)/,
]

/** `raw` has names and values in turn. HTTP/1.0 has no host (RFC 9112 §3.2). */
function isHost(raw: readonly string[], httpVersion: string): boolean {
  let found = 0
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.length !== 4 || raw[at]?.toLowerCase() !== 'host') continue
    if (!host.test(raw[at + 1] ?? '')) return false
    found += 1
  }
  return found === 1 || (found === 0 && httpVersion === '1.0')
}

const host = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * `methodsOf` lists the methods of a path that Next answers. Deliveries and the live stream have their own lists. Next names
 * no methods with its 405, and answers some with 400 or 500.
 * @param isFile true for the path of a file, which can only be read
 */
export function methodsOf(path: string, isFile: (path: string) => boolean): readonly string[] {
  const route = path.replace(/\/$/, '')
  if (ofPost.has(route)) return ['POST', 'OPTIONS']
  if (route === '/api/session' || route.startsWith('/api/auth/')) return all
  return isFile(path) || /^\/(?:api|go|_next)\//.test(path) ? ['GET', 'HEAD', 'OPTIONS'] : all
}

/** A page accepts these methods, because its actions use POST. */
const all = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const

const ofPost: ReadonlySet<string> = new Set([
  '/api/search',
  '/api/sign-out',
  '/api/single-sign-on/back-channel-logout',
  '/api/transactions/rows',
  '/api/users/import',
])

/**
 * The head of a request for a path of Next is refused for one of these reasons; null when it may pass. Next would answer
 * 500, and log a line for each.
 */
export function refusalOfHead({
  method = '',
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): 400 | null {
  const { origin } = headers
  if (origin !== undefined && origin !== 'null' && !URL.canParse(origin)) return 400
  const isForm = headers['content-type']?.toLowerCase().startsWith('multipart/') === true
  return isForm && headers['next-action'] === undefined && method === 'POST' ? 400 : null
}

const limited = limitedLog(logOf('http'))

/** Node reports bytes that were no valid request in this form. `rawPacket` is the piece in which parsing failed. */
export interface BrokenHttp {
  readonly code?: string | undefined
  readonly rawPacket?: Buffer | undefined
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The answer to broken HTTP, or to a head that is too large or too slow, explains the problem to the sender and in the log.
 */
export function answerBrokenHttp({ code = '', rawPacket }: BrokenHttp): Answer {
  const head = rawPacket?.toString('latin1') ?? ''
  const { status, log, body } = judge(code, head)
  limited.info(code, { status }, log)
  const type = body.startsWith('<') ? 'text/html' : 'text/plain'
  return {
    status,
    body,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      ...(status === 405 ? { allow: 'GET, HEAD, POST, OPTIONS' } : {}),
    },
  }
}

function judge(code: string, head: string) {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return said(408, 'The request took too long to come.')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return said(413, 'The chunks of this body say too much about themselves.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    const cookies = largestCookies(head)
    const named = cookies.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(', ')
    const log = `A request had more than 16 KB of headers. Delete cookies in the browser, on localhost those of other programs too. The largest: ${named || 'not known'}`
    return { status: 431, log, body: tooManyCookies(cookies) }
  }
  const [, method] = /^([A-Z]+) \S+ HTTP\/1\.[01]\r?$/m.exec(head) ?? []
  if (
    code === 'CONNECT' ||
    (code === 'HPE_INVALID_METHOD' && method !== undefined && !METHODS.includes(method))
  )
    return said(405, 'Nothing here has this method.')
  if (head.startsWith('\u0016\u0003'))
    return said(
      400,
      'This port speaks plain HTTP, and TLS came. Have the proxy in front speak http:// to it.',
    )
  if (/^(?:PROXY (?:TCP[46]|UNKNOWN)|\r\n\r\n\0\r\nQUIT\n)/.test(head))
    return said(
      400,
      'This port takes no PROXY protocol. Turn it off in the proxy in front, and have that send X-Forwarded-For.',
    )
  if (head.startsWith('PRI * HTTP/2.0'))
    return said(
      400,
      'This port speaks HTTP/1.1, and HTTP/2 came. Have the proxy in front speak HTTP/1.1 to it.',
    )
  return said(400, 'This is not HTTP as this server reads it. A proxy in between may have changed it.')
}

const said = (status: number, text: string) => ({ status, log: `A request was refused: ${text}`, body: text })

/** The log has names alone, because a cookie's value may sign somebody in. */
function largestCookies(head: string) {
  const [, line = ''] = /^cookie:(.*)$/im.exec(head) ?? []
  return line
    .split(';')
    .map((pair) => ({ name: pair.split('=', 1).join('').trim().slice(0, 60), bytes: pair.trim().length }))
    .filter(({ name }) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, 5)
}

function tooManyCookies(cookies: ReturnType<typeof largestCookies>): string {
  const largest = cookies.map(({ name, bytes }) => `<li><code>${escaped(name)}</code>, ${bytes} bytes</li>`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Too many cookies</title>
<h1>Your browser sends more cookies than this dashboard takes.</h1>
<p>Nothing was changed. A request may have 16 KB of headers. Delete the cookies of this address and open it again: click the sign left
of the address, then “Cookies and site data”. You will have to sign in again. A private window works at once.</p>
${largest.length > 0 ? `<p>The largest:</p><ul>${largest.join('')}</ul>` : ''}
<p>On <code>localhost</code> the cookies of all programs on this computer are sent together. If there are few cookies, the address itself
is too long, or a proxy in between adds large headers.</p>
</html>`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;')
