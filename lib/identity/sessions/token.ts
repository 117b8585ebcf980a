import 'server-only'
import crypto from 'node:crypto'

/** The token has 256 random bits and is safe in cookies and addresses. */
export const randomToken = () => crypto.randomBytes(32).toString('base64url')

/** The database stores this digest of a random token. The token is too random to need a key or salt. */
export const digestToken = (token: string) =>
  new Uint8Array(crypto.createHash('sha256').update(token).digest())
