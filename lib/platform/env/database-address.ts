import 'server-only'
import { isLoopbackHost } from '../rules/network-addresses.ts'

/**
 * `readDatabaseAddress` reads a database address as node-postgres does, also with a user and no host; null for an invalid
 * one.
 */
export const readDatabaseAddress = (text: string): URL | null =>
  URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'))

export const severalHosts = /^\w+:\/\/([^/?]*@)?[^/?@]*,[^/?@]*([/?]|$)|[?&]host=[^&]*(,|%2C)/i

export const parameterOf = (text: string, name: string): string =>
  readDatabaseAddress(text)?.searchParams.get(name) ?? ''

/** node-postgres uses these parameters of an address. Other clients know more. */
export const knownParameters = new Set(
  ['host', 'port', 'user', 'password', 'ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'schema'].concat(
    ['uselibpqcompat', 'application_name', 'fallback_application_name', 'client_encoding', 'options'],
    ['statement_timeout', 'lock_timeout', 'query_timeout', 'idle_in_transaction_session_timeout'],
  ),
)

/**
 * `isReadable` is true for an address that node-postgres reads as it is meant. For a blank, or a `%` that begins no sign, in any
 * part of it, node-postgres encodes the whole once more, and so changes the password.
 */
export function isReadable(text: string): boolean {
  const url = readDatabaseAddress(text)
  try {
    decodeURIComponent(text)
    return url !== null && url.username + url.password + url.pathname !== ''
  } catch {
    return false
  }
}

/** With these values of `sslmode`, node-postgres encrypts or ends the connection. */
const encrypting = new Set(['require', 'verify-ca', 'verify-full', 'no-verify'])

/** node-postgres treats these modes as `verify-full`, and warns with six lines at each connection. */
export const likeVerifyFull = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/

export function nameVerifyFull(text: string): string {
  return withoutCompat(text).replaceAll(new RegExp(likeVerifyFull, 'g'), '$1verify-full') || text
}

/** The text is empty when `uselibpqcompat` gives the modes their meaning in libpq. */
export const withoutCompat = (text: string) => (/[?&]uselibpqcompat=true(&|$)/.test(text) ? '' : text)

/** A socket of this machine has no host, or a directory as its host. */
export function isEncryptedOrLocal(text: string): boolean {
  const { hostname, searchParams } = readDatabaseAddress(text) ?? new URL(text)
  // node-postgres reads the last of repeated parameters, and prefers `sslmode` to `ssl`.
  const given = Object.fromEntries(searchParams)
  const host = given.host || hostname
  if (host === '' || host.startsWith('/') || host.startsWith('%2F') || isLoopbackHost(host)) return true
  return given.sslmode ? encrypting.has(given.sslmode) : given.ssl === 'true'
}
