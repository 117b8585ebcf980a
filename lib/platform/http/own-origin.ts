import 'server-only'
import type { IncomingHttpHeaders } from 'node:http'
import { type Refusal, refusal } from '#lib/words/labels/refusals.ts'
import { env } from '../env.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'

const limited = limitedLog(logOf('proxy'), 600_000)

/** `removed` means that no header gives the origin, as behind a proxy that removes it. */
type OtherOrigin = 'another' | 'removed'

/** The mark of `markOrigin` has the reason and the origin. */
const marks = /^(another|removed):\/\/[^/]*\/(.*)$/

/**
 * `isOwnOrigin` is true for a request from a page of ours, as named by `PUBLIC_URL` alone. Without an Origin, Sec-Fetch-Site
 * decides: browsers write both, and no script can. A proxy may add `Referrer-Policy: no-referrer`; then the Origin of a form is
 * `null`. A frame or a redirect that hides its origin is `cross-site`.
 */
function isOwnOrigin(origin: string | null, fetchSite: string | null): boolean {
  if (!origin || origin === 'null') return fetchSite === 'same-origin'
  return URL.parse(origin)?.origin === env().publicUrl.origin
}

/** The refusal says why a request from another origin is refused, and is logged; null for a request from our pages. */
export function refusalOfOrigin(headers: Pick<Headers, 'get'>): Refusal | null {
  const given = headers.get('origin')
  if (isOwnOrigin(given, headers.get('sec-fetch-site'))) return null
  const marked = marks.exec(given ?? '')
  const why: OtherOrigin = marked?.[1] === 'removed' || !given ? 'removed' : 'another'
  const { origin } = env().publicUrl
  limited.warn(why, { origin: marked?.[2] ?? given?.slice(0, 100), publicUrl: origin }, said[why])
  return refusal(why === 'another' ? 'other-origin' : 'origin-removed', { url: origin })
}

/**
 * `markOrigin` replaces the Origin by one that Next lets through: our own one in the form of `PUBLIC_URL`, or a mark that
 * can never be ours. Next would refuse by host, with 500 and without a hint at the setting.
 */
export function markOrigin(headers: IncomingHttpHeaders): void {
  // Next sends another request to itself when it forwards an action to another page.
  if (headers.origin !== undefined && marks.test(headers.origin)) return
  const { origin, host } = env().publicUrl
  const site = headers['sec-fetch-site']
  if (isOwnOrigin(headers.origin ?? null, typeof site === 'string' ? site : null)) headers.origin = origin
  else
    headers.origin = headers.origin
      ? `another://${host}/${encodeURIComponent(headers.origin.slice(0, 100))}`
      : `removed://${host}/`
}

const said = {
  another:
    'A request came from an origin that is not that of PUBLIC_URL and was refused. If people open the dashboard there, set PUBLIC_URL to it, or have the proxy redirect to PUBLIC_URL',
  removed:
    'A request came without an Origin and was refused. If it came from a page of ours, a proxy takes the header away: have it pass Origin and Sec-Fetch-Site on',
} satisfies Record<OtherOrigin, string>

/**
 * `namePublicHost` gives a request the host of `PUBLIC_URL`, whatever a proxy changed. Next compares it with the Origin, and
 * uses it for requests to itself.
 */
export function namePublicHost(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  // With `https`, Next would use TLS for a request to itself when it forwards an action to another page.
  delete headers['x-forwarded-proto']
  delete headers['x-forwarded-port']
  headers.host = env().publicUrl.host
}
