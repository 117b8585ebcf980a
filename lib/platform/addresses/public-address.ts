import 'server-only'
import dns from 'node:dns/promises'
import net from 'node:net'
import tls from 'node:tls'
import { env } from '../env.ts'
import { logOf } from '../log.ts'
import { Refused } from '../refusals.ts'
import { uuidPattern } from '../rules/ids.ts'
import { maskUrl } from '../rules/network-addresses.ts'

/** This dashboard accepts a receiver's deliveries at this address. */
export const receiverUrl = (receiverId: string) => receiverUrlAt(receiverId, env().publicUrl)

export const receiverUrlAt = (receiverId: string, dashboard: URL) =>
  new URL(`/api/webhooks/${receiverId}`, dashboard).href

/** The receiver is the one that a url of this dashboard names; null for a url elsewhere. */
export function receiverIdOf(url: string): string | null {
  return URL.parse(url)?.origin === env().publicUrl.origin ? receiverInPath(url) : null
}

/** The receiver is the one in the path of a url of any origin. It recognises an earlier public address of this dashboard. */
export function receiverInPath(url: string): string | null {
  const path = URL.parse(url)?.pathname ?? ''
  return receiverPath.exec(path)?.[1] ?? null
}

/** The audit names the place of a url in this form. The part that grants access to an endpoint is left out. */
export function placeOfUrl(url: string): string {
  if (receiverIdOf(url) !== null) return 'this dashboard'
  const receiverId = receiverInPath(url)
  return receiverId === null ? maskUrl(url) : `${URL.parse(url)?.origin}/api/webhooks/…`
}

const receiverPath = new RegExp(`^/api/webhooks/(${uuidPattern})$`)

/** `isAllowedScheme` requires HTTPS (§8), except on this machine with the sandbox. */
export const isAllowedScheme = (url: URL): boolean => url.protocol === 'https:' || isLoopbackTrial(url)

/**
 * `requireHttps` runs before the service is asked to deliver here. It throws `Refused` for an address that the service would
 * refuse (§8).
 */
export function requireHttps(): void {
  if (!isAllowedScheme(env().publicUrl)) throw new Refused('public-url-not-secure')
}

/** `isLoopbackTrial` allows an endpoint on this machine without a certificate, because the sandbox delivers to it. */
const isLoopbackTrial = (url: URL): boolean =>
  env().sandboxUrl !== null && url.protocol === 'http:' && loopback.has(url.hostname)

/**
 * `isSandboxReceiver` is true for the only address of this machine to which Rampart itself posts. Another service there may
 * trust local callers.
 */
export const isSandboxReceiver = (url: URL): boolean =>
  isLoopbackTrial(url) && url.port === env().sandboxUrl?.port && url.pathname === '/receiver'

/** `maySendTo` says where Rampart itself may post: replays and alerts go to such an address alone. */
export const maySendTo = (url: URL): boolean => url.protocol === 'https:' || isSandboxReceiver(url)

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

const log = logOf('addresses')

/** Connections go to a checked address alone. */
export interface CheckedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** The host has no address, or one that is not reachable from outside. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly why: 'unknown-host' | 'internal'

  constructor(why: 'unknown-host' | 'internal') {
    super(why)
    this.why = why
  }
}

/** `Resolve` lists every address of a host name. It throws when there is none. */
export type Resolve = (host: string) => Promise<readonly CheckedAddress[]>

/**
 * `findPublicAddresses` returns the addresses to connect to for a host as `URL` writes it, in the order of the resolver. One
 * internal address among several refuses the host, because the choice among them would be random. It throws `AddressRefused`.
 * @param loopback true when this machine itself is allowed
 */
export async function findPublicAddresses(
  hostname: string,
  {
    loopback = false,
    resolve = resolveHost,
  }: { readonly loopback?: boolean; readonly resolve?: Resolve } = {},
): Promise<readonly CheckedAddress[]> {
  const found = await addressesOf(hostname.replace(/^\[(.*)\]$/, '$1'), resolve)
  if (found.length === 0) throw new AddressRefused('unknown-host')
  const allowed = ({ address, family }: CheckedAddress) =>
    isPublic(address, family) || (loopback && isLoopback(address, family))
  if (!found.every(allowed)) throw new AddressRefused('internal')
  return found
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly CheckedAddress[]> {
  const family = familyOf(host)
  if (family) return [{ address: host, family }]
  try {
    return await resolve(host)
  } catch (error) {
    log.info({ err: error }, 'A host could not be resolved')
    throw new AddressRefused('unknown-host')
  }
}

const resolveHost: Resolve = async (host) =>
  (await dns.lookup(host, { all: true })).flatMap(({ address }) => {
    const family = familyOf(address)
    return family ? { address, family } : []
  })

function familyOf(address: string): 4 | 6 | null {
  if (net.isIPv4(address)) return 4
  return net.isIPv6(address) ? 6 : null
}

/** `isPublic` is true for an address of the open internet. For IPv6 that is only the assigned range (2000::/3). */
function isPublic(address: string, family: 4 | 6): boolean {
  if (family === 4) return !internal.check(address)
  return handedOut.check(address, 'ipv6') && !internal.check(address, 'ipv6')
}

const isLoopback = (address: string, family: 4 | 6) =>
  family === 4 ? thisMachine.check(address) : thisMachine.check(address, 'ipv6')

function listOf(...ranges: readonly (readonly [network: string, prefix: number])[]): net.BlockList {
  const list = new net.BlockList()
  for (const [network, prefix] of ranges) {
    list.addSubnet(network, prefix, net.isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}

const thisMachine = listOf(['127.0.0.0', 8], ['::1', 128])

const handedOut = listOf(['2000::', 3])

/** Internal addresses are the special-purpose ones (RFC 6890) and multicast. Mapped IPv6 is outside of 2000::/3. */
const internal = listOf(
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // These ranges embed an IPv4 address, or are for documentation.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
)

/**
 * `readCertificateEnd` connects to an https address and reads when its certificate ends, in ms since 1970. It throws what the
 * connection ends by, also when the certificate is not valid. Without `timeoutMs` it waits as long as the system does.
 */
export async function readCertificateEnd({ hostname, port }: URL, timeoutMs = 0): Promise<number> {
  const host = hostname.replace(/^\[|\]$/g, '')
  // NODE_TLS_REJECT_UNAUTHORIZED must not make a wrong certificate valid.
  const to = { host, port: Number(port || 443), servername: host, rejectUnauthorized: true }
  const socket = tls.connect(to)
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('No answer came in time')))
  try {
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    return Date.parse(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}
