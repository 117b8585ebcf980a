import 'server-only'
import type { Receiver } from './receivers.ts'
import type { SecretDigester } from './secret-digest.ts'

export type Verdict =
  /** `underOldKey`: the digest should be made again under the newest key. */
  | { readonly kind: 'verified'; readonly secret: Buffer; readonly underOldKey: boolean }
  | { readonly kind: 'refused'; readonly why: 'wrong-secret' | 'secret-not-known-yet' }
  /** The key under which the secret is kept cannot be used here. */
  | { readonly kind: 'refused'; readonly why: 'secret-not-checkable'; readonly keyId: string }

/** Whether `authorization` carries the receiver's signing secret. §5.5 */
export function verify(
  authorization: string | null,
  receiver: Receiver,
  digester: SecretDigester,
  usableKeys: ReadonlySet<string>,
): Verdict {
  const mismatch = { kind: 'refused', why: mismatchOf(receiver) } as const
  const secret = secretOf(authorization)
  if (!receiver.secret) return mismatch
  const { keyId } = receiver.secret
  if (!usableKeys.has(keyId)) return { kind: 'refused', why: 'secret-not-checkable', keyId }
  if (!secret || !digester.matches(secret, receiver.secret)) return mismatch
  return { kind: 'verified', secret, underOldKey: keyId !== digester.newestKeyId }
}

/** While a secret is being made or rotated, the sender may already know it when we do not. */
function mismatchOf({ state }: Receiver) {
  return state === 'pending' || state === 'rotating' ? 'secret-not-known-yet' : 'wrong-secret'
}

/** The bytes of the secret in `API-Key <secret>`; the scheme's case and the spaces around do not matter. */
function secretOf(authorization: string | null): Buffer | null {
  const secret = /^\s*api-key[ \t]+(\S(?:.*\S)?)\s*$/i.exec(authorization ?? '')?.[1]
  return secret === undefined ? null : Buffer.from(secret, 'latin1')
}
