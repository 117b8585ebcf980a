import 'server-only'
import crypto from 'node:crypto'

/** 256 random bits, safe in cookies and addresses. */
export const randomToken = () => crypto.randomBytes(32).toString('base64url')

/** What the database keeps of a random token. It holds too much chance to need a key or salt. */
export const digestToken = (token: string) =>
  new Uint8Array(crypto.createHash('sha256').update(token).digest())
