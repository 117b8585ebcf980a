import 'server-only'
import net from 'node:net'
import { env } from '../env.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { isLoopbackHost } from '../rules/network-addresses.ts'

const limited = limitedLog(logOf('proxy'), 3_600_000)

/**
 * A proxy fault says why callers' addresses are unknown or are those of a proxy. `proxy` is the address of the request's
 * connection.
 */
export interface ProxyFault {
  readonly kind: 'header-missing' | 'not-trusted' | 'unreadable'
  readonly proxy: string
  /** The time is ISO 8601. */
  readonly at: string
}

/**
 * `findAddress` finds the address of a request: that of the connection, or, behind a proxy of `TRUSTED_PROXIES`, the last
 * address in `X-Forwarded-For` that is no such proxy. It is null when a proxy does not name the caller, so that no caller
 * counts as another.
 */
export function findAddress(connection: string | undefined, forwardedFor: string | null): string | null {
  const { trustedProxies, publicUrl } = env()
  const near = nearestOf(connection)
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

/** `isTrustedProxy` is true for a connection from a proxy of `TRUSTED_PROXIES`. */
export function isTrustedProxy(connection: string | undefined): boolean {
  const near = nearestOf(connection)
  return near !== null && isAmong(env().trustedProxies, near)
}

const nearestOf = (connection: string | undefined) => connection?.replace(/^::ffff:(?=\d+\.)/i, '') ?? null

/** Each hop is an address, or null. A list may have empty elements (RFC 9110 §5.6.1). */
const hopsOf = (forwardedFor: string): (string | null)[] =>
  forwardedFor
    .split(',')
    .map((hop) => hop.trim().replace(/^"(.*)"$/, '$1'))
    .filter((hop) => hop !== '')
    .map(addressIn)

/** The hop looks like `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:443`. */
function addressIn(hop: string): string | null {
  const [, inBrackets, beforePort] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  const address = (inBrackets ?? beforePort ?? hop).replace(/^::ffff:(?=\d+\.)/i, '')
  return net.isIP(address) ? address : null
}

/** The header has this text for an unknown caller. Next would fill an empty header with the proxy's address. */
export const unknownAddress = 'unknown'

/**
 * The address is from a header that `sayWhereFrom` wrote; null for `unknownAddress`. ASSUMED: without our own
 * server, the platform is the only proxy and appends the address.
 */
export const lastForwarded = (forwardedFor: string | null): string | null =>
  hopsOf(forwardedFor ?? '').at(-1) ?? null

/** The fault is the last one of this process within a day; null for none. */
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
