import 'server-only'
import crypto from 'node:crypto'
import { env } from '#lib/env.ts'

/**
 * HMAC-SHA256 of something guessable, so that only this server can make or check it.
 * @param purpose keeps digests for different uses apart
 */
export function keyedDigest(purpose: string, text: string): Buffer {
  const key = Buffer.from(crypto.hkdfSync('sha256', env().nextauthSecret, '', `rampart ${purpose}`, 32))
  return crypto.createHmac('sha256', key).update(text).digest()
}
