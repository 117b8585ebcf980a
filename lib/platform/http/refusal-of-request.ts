import 'server-only'
import type { IncomingMessage } from 'node:http'
import { uuidPattern } from '../rules/ids.ts'

/** The head of a request, before a listener knows which path is meant. */
type Head = Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersion'>

/** As nearly all deliveries are addressed: every parser reads it alike, and it costs one look. */
const plainDelivery = /^\/api\/webhooks\/[\w-]+$/
export const isPlainDelivery = (url: string | undefined): boolean => plainDelivery.test(url ?? '')

/**
 * Answers whether a request is written in a way that servers read differently: a target with a host in it, `*`, dot segments,
 * encoded or not, a backslash, a fragment, or letters that need no encoding; no host, two, or one that is none. Whoever
 * judges by a path must read the one that is answered.
 */
export const isAmbiguous = (
  { url = '', rawHeaders, httpVersion }: Head,
  isPlain = isPlainDelivery(url),
): boolean => (!isPlain && !isTarget(url)) || !isHost(rawHeaders, httpVersion)

/**
 * The target that is meant by one that is spelled otherwise, as proxies do: the path in an address with the host that was asked, and
 * that of a delivery, however it is written, since a delivery's own secret says what may come there. Any other stays as it is.
 */
export function meantTarget({
  method,
  url = '',
  headers: { host: asked },
}: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): string {
  // Of the server itself (RFC 9110 §9.3.7), as health checks ask.
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

/** Whatever follows the receiver's id was added on the way. */
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
  // Whatever is no printable sign of ASCII, and a backslash, which a browser reads as a slash.
  /[^!-~]|\\/,
  /(?:^|\/|%2f|%5c)\.{1,2}(?:$|\/|%2f|%5c)/i,
  // Letters, digits and `-._~`, which nobody encodes (RFC 3986 §2.3).
  /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i,
  // Next takes it for the prototype of its parameters.
  /\/__proto__(?:\/|$)/,
]

/** `raw`: names and values by turns. HTTP/1.0 knows no host (RFC 9112 §3.2). */
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
 * The methods of a path that Next answers, or says that it is none; those of deliveries and of the live stream are told by
 * their own. Next names none with its 405, and answers some with 400 or 500.
 * @param isFile whether a path is that of a file, which is read and nothing else
 */
export function methodsOf(path: string, isFile: (path: string) => boolean): readonly string[] {
  const route = path.replace(/\/$/, '')
  if (ofPost.has(route)) return ['POST', 'OPTIONS']
  if (route === '/api/session' || route.startsWith('/api/auth/')) return all
  return isFile(path) || /^\/(?:api|go|_next)\//.test(path) ? ['GET', 'HEAD', 'OPTIONS'] : all
}

/** Those of a page: its actions come by POST. */
const all = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const

const ofPost: ReadonlySet<string> = new Set([
  '/api/search',
  '/api/sign-out',
  '/api/single-sign-on/back-channel-logout',
  '/api/transactions/rows',
  '/api/users/import',
])

/**
 * Why a request for a path that Next answers is refused by its head; null for what may come. Next would answer these with
 * 500, and a line in the log for each.
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
