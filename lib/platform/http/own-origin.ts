import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { env } from '../env.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'

const limited = limitedLog(logOf('proxy'), 600_000)

/** `removed`: nobody says where it came from, as behind a proxy that takes the Origin away. */
type OtherOrigin = 'another' | 'removed'

/** Why, and the origin itself, in what `markOrigin` writes. */
const marks = /^(another|removed):\/\/[^/]*\/(.*)$/

interface Words {
  readonly title: string
  readonly next: string
}

/**
 * Answers whether a request came from a page of ours, which `PUBLIC_URL` alone names. Where the Origin is missing, Sec-Fetch-Site
 * says it: browsers write both, and no script can write either.
 */
function isOwnOrigin(origin: string | null, fetchSite: string | null): boolean {
  if (!origin) return fetchSite === 'same-origin'
  return URL.parse(origin)?.origin === env().publicUrl.origin
}

/** Why a request is refused that came from no page of ours, in words, which the log has too; null for one of ours. */
export function refusalOfOrigin(headers: Pick<Headers, 'get'>): Words | null {
  const given = headers.get('origin')
  if (isOwnOrigin(given, headers.get('sec-fetch-site'))) return null
  const marked = marks.exec(given ?? '')
  const why: OtherOrigin = marked?.[1] === 'removed' || !given ? 'removed' : 'another'
  const { origin } = env().publicUrl
  limited.warn(why, { origin: marked?.[2] ?? given?.slice(0, 100), publicUrl: origin }, said[why])
  return otherOriginWords(why, origin)
}

/**
 * Writes an Origin that Next lets through to whoever answers: our own as `PUBLIC_URL` has it, another one so that it can never be
 * ours. Next would refuse it by its host, with 500 and no word of what to set.
 */
export function markOrigin(headers: IncomingHttpHeaders): void {
  // Next asks itself once more where it passes an action on to another page.
  if (headers.origin !== undefined && marks.test(headers.origin)) return
  const { origin, host } = env().publicUrl
  const site = headers['sec-fetch-site']
  if (isOwnOrigin(headers.origin ?? null, typeof site === 'string' ? site : null)) headers.origin = origin
  else
    headers.origin = headers.origin
      ? `another://${host}/${encodeURIComponent(headers.origin.slice(0, 100))}`
      : `removed://${host}/`
}

const otherOriginWords = (why: OtherOrigin, ours: string): Words => ({
  title: 'This request did not come from this dashboard.',
  next: {
    another: `Nothing was changed. Open the dashboard at ${ours} and try again. If it has another address now, whoever runs it sets PUBLIC_URL to that, or has the proxy in front lead here.`,
    removed: `Nothing was changed. A proxy in between takes the Origin header away: whoever runs it has to pass Origin on, and Sec-Fetch-Site. The dashboard itself is at ${ours}`,
  }[why],
})

const said = {
  another:
    'A request came from an origin that is not that of PUBLIC_URL and was refused. If people open the dashboard there, set PUBLIC_URL to it, or have the proxy redirect to PUBLIC_URL',
  removed:
    'A request came without an Origin and was refused. If it came from a page of ours, a proxy takes the header away: have it pass Origin and Sec-Fetch-Site on',
} satisfies Record<OtherOrigin, string>

/** Gives a request the host of `PUBLIC_URL`, whatever a proxy made of it: Next compares it with the Origin, and asks itself by it. */
export function namePublicHost(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  // With `https` Next would ask itself by TLS, where it passes an action on to another page.
  delete headers['x-forwarded-proto']
  delete headers['x-forwarded-port']
  headers.host = env().publicUrl.host
}
