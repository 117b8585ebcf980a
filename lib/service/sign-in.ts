import 'server-only'
import { z } from 'zod'
import type { ServiceClient } from './client.ts'
import { headerValueSchema, uuidSchema } from './wire.ts'

/** A session at the service (§2.2) is opaque and short-lived; only time ends it (§5.4). */
export interface ServiceSession {
  readonly serviceSessionId: string
  readonly userUuid: string
}

/**
 * The wallet's signature and the EIP-4361 message, exactly as it was signed, sign the person in (§4.1, §5.2).
 * `unauthorized`: the signature does not fit, or its address is not the user's. `not-found`: unknown user.
 */
export function loginWithWallet(
  service: ServiceClient,
  { message, signature }: { readonly message: string; readonly signature: string },
): Promise<ServiceSession> {
  const body = { message, signature }
  return service.request({ method: 'POST', path: '/auth/login', body, secrets: [signature] }, SessionSchema)
}

/**
 * The service mails a new one-time password to the user; every call sends another (§4.1). `not-found`: unknown
 * user. `too-many`: asked too often (§7).
 */
export function sendOneTimePassword(service: ServiceClient, userUuid: string): Promise<void> {
  return service.send({ method: 'POST', path: '/auth/login', body: { user_uuid: userUuid } }, 204)
}

/** The code from the e-mail signs the person in (§4.1, §5.3). `unauthorized`: wrong or expired code. */
export function exchangeOneTimePassword(
  service: ServiceClient,
  { userUuid, oneTimePassword }: { readonly userUuid: string; readonly oneTimePassword: string },
): Promise<ServiceSession> {
  const body = { user_uuid: userUuid, one_time_password: oneTimePassword }
  return service.request(
    { method: 'POST', path: '/auth/otp/', body, secrets: [oneTimePassword] },
    SessionSchema,
  )
}

const SessionSchema = z
  .object({ service_session_id: headerValueSchema, user_uuid: uuidSchema })
  .transform((wire) => ({ serviceSessionId: wire.service_session_id, userUuid: wire.user_uuid }))
