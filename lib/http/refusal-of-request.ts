import 'server-only'
import type { IncomingMessage } from 'node:http'

/** The head of a request, before a listener knows which path is meant. */
type Head = Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersion'>

/** Paths that every parser reads alike: nearly all, so that a delivery costs one look. */
const plain = /^(?:\/[A-Za-z\d-][\w-]*)+$/

/**
 * Answers whether a request is written in a way that servers read differently: a target with a host in it, `*`, dot segments,
 * encoded or not, a backslash, a fragment, or letters that need no encoding; no host, two, or one that is none. Whoever
 * judges by a path must read the one that is answered.
 */
export const isAmbiguous = ({ url = '', rawHeaders, httpVersion }: Head): boolean =>
  (!plain.test(url) && !isTarget(url)) || !isHost(rawHeaders, httpVersion)

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

/** Methods that pages and routes have; deliveries are told by their own. */
const methods = ['GET', 'HEAD', 'POST', 'OPTIONS']

/**
 * Why a request for a path that Next answers is refused by its head; null for what may come. Next would answer these with
 * 500, and a line in the log for each.
 * @param isFile whether a path is that of a file, which Next reads and nothing else
 */
export function refusalOfHead(
  { method = '', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  path: string,
  isFile: (path: string) => boolean,
): 400 | 405 | null {
  if (!methods.includes(method) || (method === 'POST' && isFile(path))) return 405
  const { origin } = headers
  if (origin !== undefined && origin !== 'null' && !URL.canParse(origin)) return 400
  const isForm = headers['content-type']?.toLowerCase().startsWith('multipart/') === true
  return isForm && headers['next-action'] === undefined && method === 'POST' ? 400 : null
}
