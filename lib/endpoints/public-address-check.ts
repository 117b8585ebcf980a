import 'server-only'
import crypto from 'node:crypto'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import {
  AddressRefused,
  findPublicAddresses,
  isAllowedScheme,
  receiverUrlAt,
} from '#lib/platform/addresses/public-address.ts'
import { env } from '#lib/platform/env.ts'

/**
 * The public address `answers`; or the service would refuse it (`not-https`, §8); or it cannot be reached from
 * outside (`internal`, `unknown-host`); or a call of it found no answer, an invalid certificate, or something that
 * is not Rampart.
 */
export interface PublicAddressCheck {
  readonly url: string
  readonly finding:
    | 'answers'
    | 'not-https'
    | AddressRefused['why']
    | 'no-answer'
    | 'certificate'
    | 'something-else'
}

/** Rampart calls its own public address and waits at most 5 s. Throws `NotAllowed`. */
export async function checkPublicAddress(caller: Caller): Promise<PublicAddressCheck> {
  requirePermission(caller, 'manage-endpoints')
  const { publicUrl } = env()
  return { url: publicUrl.origin, finding: await judgePublicAddress(publicUrl) }
}

export async function judgePublicAddress(url: URL): Promise<PublicAddressCheck['finding']> {
  if (!isAllowedScheme(url)) return 'not-https'
  try {
    await findPublicAddresses(url.hostname, { loopback: url.protocol === 'http:' })
  } catch (error) {
    if (error instanceof AddressRefused) return error.why
    throw error
  }
  return callPublicAddress(url)
}

/**
 * No receiver has this random id, so nothing is delivered. The webhook route answers with a text that nothing else
 * sends.
 */
export async function callPublicAddress(
  url: URL,
): Promise<Exclude<PublicAddressCheck['finding'], AddressRefused['why']>> {
  try {
    const { status, headers } = await fetch(receiverUrlAt(crypto.randomUUID(), url), {
      redirect: 'manual',
      signal: AbortSignal.timeout(5_000),
    })
    // A proxy answers so while nothing behind it does.
    if ([502, 503, 504].includes(status)) return 'no-answer'
    return status === 405 && headers.get('allow') === 'POST' ? 'answers' : 'something-else'
  } catch (error) {
    // A failed `fetch` keeps its reason in the error's `cause`.
    return error instanceof Error && isAboutCertificate(error.cause) ? 'certificate' : 'no-answer'
  }
}

/** `isAboutCertificate` is true when a connection ended because of TLS, and not because nobody answered. */
export const isAboutCertificate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /CERT|SSL|TLS|SIGNATURE|ALTNAME/.test(String(error.code))
