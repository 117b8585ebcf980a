import 'server-only'
import crypto from 'node:crypto'
import { env, type Key } from '../env.ts'
import { limitedLog } from '../log/limited.ts'
import { logOf } from '../log.ts'
import { writingKey } from './agree-on-keys.ts'

const limited = limitedLog(logOf('keys'))

export interface Sealed {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly keyId: string
}

/** `seal` encrypts by AES-256-GCM under the key that writes. The result is bound to its place and opens nowhere else. */
export function seal(text: string, boundTo: string, key = writingKey()): Sealed {
  const nonce = crypto.randomBytes(12)
  const cipher = crypto.createCipheriv('aes-256-gcm', cipherKey(key), nonce).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { bytes: new Uint8Array(sealed), keyId: key.id }
}

/** The result is null when the key was removed, or when the bytes were changed or moved. */
export function unseal(
  { bytes, keyId }: Sealed,
  boundTo: string,
  keys: readonly Key[] = env().keys,
): string | null {
  const key = keys.find(({ id }) => id === keyId)
  if (!key) return null
  const [nonce, body, tag] = [bytes.subarray(0, 12), bytes.subarray(12, -16), bytes.subarray(-16)]
  try {
    const decipher = crypto.createDecipheriv('aes-256-gcm', cipherKey(key), nonce)
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(tag)
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
  } catch (error) {
    limited.warn(keyId, { keyId, err: error }, 'What was sealed under a key does not open with it')
    return null
  }
}

/** One key serves several purposes, each by a derived key. */
const cipherKey = (key: Key) => Buffer.from(crypto.hkdfSync('sha256', key.bytes, '', 'rampart seal', 32))
