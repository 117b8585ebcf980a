import 'server-only'
import net from 'node:net'
import { env } from '../env.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { isLoopbackHost } from '../rules/network-addresses.ts'

const limited = limitedLog(logOf('proxy'), 3_600_000)

/** Why addresses of callers are not known or are those of a proxy. `proxy` is whom the request came from. */
export interface ProxyFault {
  readonly kind: 'header-missing' | 'not-trusted' | 'unreadable'
  readonly proxy: string
  /** ISO 8601. */
  readonly at: string
}

/**
 * The address that a request came from: that of the connection, or, where a proxy of `TRUSTED_PROXIES` made that, the last
 * address in `X-Forwarded-For` that is not such a proxy. Null when a proxy does not say whom it speaks for: nobody is taken
 * for somebody else then.
 */
export function findAddress(connection: string | undefined, forwardedFor: string | null): string | null {
  const { trustedProxies, publicUrl } = env()
  const near = connection?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null
  if (near === null) return null
  const onThisMachine = isLoopbackHost(publicUrl.hostname)
  if (!isAmong(trustedProxies, near)) {
    if (forwardedFor !== null && !onThisMachine) note('not-trusted', near)
    return near
  }
  if (forwardedFor === null) {
    if (onThisMachine) return near
    note('header-missing', near)
    return null
  }
  const hops = hopsOf(forwardedFor)
  while (hops.length > 1 && isAmong(trustedProxies, hops.at(-1) ?? '')) hops.pop()
  const far = hops.at(-1) ?? null
  if (far === null) note('unreadable', near)
  return far
}

/** Each address of the header, null for what is none. A list may have empty places (RFC 9110 §5.6.1). */
const hopsOf = (forwardedFor: string): (string | null)[] =>
  forwardedFor
    .split(',')
    .map((hop) => hop.trim().replace(/^"(.*)"$/, '$1'))
    .filter((hop) => hop !== '')
    .map(addressIn)

/** `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:443`. */
function addressIn(hop: string): string | null {
  const [, inBrackets, beforePort] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  const address = (inBrackets ?? beforePort ?? hop).replace(/^::ffff:(?=\d+\.)/i, '')
  return net.isIP(address) ? address : null
}

/** Stands in the header where nobody is known: Next would fill an empty one with the address of the proxy. */
export const unknownAddress = 'unknown'

/**
 * The address in a header that `server.ts` has written by `findAddress`; null for `unknownAddress`. ASSUMED: where no server
 * of our own runs, the platform is the one proxy in front, and appends the address.
 */
export const lastForwarded = (forwardedFor: string | null): string | null =>
  hopsOf(forwardedFor ?? '').at(-1) ?? null

/** The last fault of this process within a day; null when there was none. */
export function readProxyFault(): ProxyFault | null {
  const fault = globalThis.rampartProxyFault
  return fault && Date.now() - Date.parse(fault.at) < 86_400_000 ? fault : null
}

function note(kind: ProxyFault['kind'], proxy: string) {
  globalThis.rampartProxyFault = { kind, proxy, at: new Date().toISOString() }
  limited.warn(kind, { proxy }, words[kind])
}

const words = {
  'header-missing':
    'A proxy does not say whom it speaks for: no limit by address holds, and the audit knows no addresses. Have it set X-Forwarded-For',
  'not-trusted':
    'X-Forwarded-For was not believed, since it came from an address that TRUSTED_PROXIES does not name. If that is your proxy, name it there: until then everybody has its address',
  unreadable:
    'X-Forwarded-For of a proxy ends with no address: no limit by address holds, and the audit knows no addresses. Have it append the address of the connection',
} satisfies Record<ProxyFault['kind'], string>

const isAmong = (list: net.BlockList, address: string) => {
  const family = net.isIP(address)
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

declare global {
  var rampartProxyFault: ProxyFault | undefined
}
