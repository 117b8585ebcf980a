import 'server-only'
import crypto from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isTrustedProxy } from './find-address.ts'

/** The log would hide a text of 43 characters as one of our tokens. */
const wellFormed = /^[A-Za-z0-9][\w.-]{7,39}$/

/**
 * The request keeps the id that a proxy of `TRUSTED_PROXIES` gave it, so that the logs of both tell of the same request. Any
 * other caller could give one id to many requests, so its request gets a new one.
 */
export function requestIdOf({
  socket,
  headers,
}: Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && wellFormed.test(given) && isTrustedProxy(socket.remoteAddress)
    ? given
    : crypto.randomUUID()
}
