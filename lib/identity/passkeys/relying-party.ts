import 'server-only'
import net from 'node:net'
import { env } from '#lib/platform/env.ts'
import { Refused } from '#lib/platform/refusals.ts'

/** Where passkeys of this dashboard are good: its public address, and the host that they are bound to. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/** Ed25519, ECDSA with P-256 and RSA, as COSE numbers them: what devices have, the best first. */
export const passkeyAlgorithms = [-8, -7, -257]

/** Throws `Refused` where browsers know no passkeys: at a bare IP address, or without HTTPS outside this machine. */
export function relyingParty(): RelyingParty {
  if (!passkeysWork()) throw new Refused(noPasskeysHere)
  const { hostname, origin } = env().publicUrl
  return { id: hostname, origin }
}

/** Whether browsers offer passkeys at the public address. */
export function passkeysWork(): boolean {
  const { protocol, hostname } = env().publicUrl
  if (net.isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

const noPasskeysHere = {
  title: 'There are no passkeys at this address.',
  next: 'Browsers offer them where the dashboard has a host name and HTTPS. Whoever runs it sets PUBLIC_URL.',
}
