import 'server-only'
import crypto from 'node:crypto'
import { env } from '../env.ts'

/**
 * HMAC-SHA256 of something guessable, so that only this server can make or check it.
 * @param purpose keeps digests for different uses apart
 */
export const keyedDigest = (purpose: string, text: string): Buffer =>
  digestUnder(env().nextauthSecrets[0], purpose, text)

/** The digests that this server makes or has made of it, newest first: one for each secret of `NEXTAUTH_SECRET`. */
export function keyedDigests(purpose: string, text: string): readonly [Buffer, ...Buffer[]] {
  const [newest, ...older] = env().nextauthSecrets
  return [digestUnder(newest, purpose, text), ...older.map((secret) => digestUnder(secret, purpose, text))]
}

function digestUnder(secret: string, purpose: string, text: string): Buffer {
  const key = Buffer.from(crypto.hkdfSync('sha256', secret, '', `rampart ${purpose}`, 32))
  return crypto.createHmac('sha256', key).update(text).digest()
}
