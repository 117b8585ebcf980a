import 'server-only'
import { METHODS } from 'node:http'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'

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
