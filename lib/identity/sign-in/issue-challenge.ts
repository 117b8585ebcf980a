import 'server-only'
import type { z } from 'zod'
import type { ActionContext } from '#lib/access/request-context.ts'
import { env } from '#lib/platform/env.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/refuse-beyond-limit.ts'
import { createChallenge, type WalletAccountSchema } from './create-challenge.ts'
import { readClockOffset } from './service-time.ts'

export interface IssuedChallenge {
  /** The exact text to sign, and to send back unchanged. */
  readonly message: string
  /** The host that the wallet will name: the service's, or this dashboard's own. */
  readonly host: string
  /** Seconds by which the clock in whose time the message is, is ahead of ours; negative when it is behind. */
  readonly clockOffsetSeconds: number
}

/**
 * Makes the sign-in message (§5.2) for one browser and exactly one signature, in the time of the service's clock. Throws
 * `Refused`.
 */
export async function issueChallenge(
  account: z.output<typeof WalletAccountSchema>,
  { browserId, ip }: ActionContext,
): Promise<IssuedChallenge> {
  await refuseBeyondLimit('challenge-per-ip', ip, 'Too many sign-in messages were asked for.')
  const clockOffsetMs = await readClockOffset()
  const { serviceBaseUrl } = env()
  const parts = {
    ...account,
    purpose: 'sign-in',
    // ASSUMED: with its port where it is not the usual one, as RFC 3986 writes an authority.
    domain: serviceBaseUrl.host,
    uri: `${serviceBaseUrl.href.replace(/\/+$/, '')}/auth/login`,
    statement: 'Sign in. This costs nothing and moves no money.',
    clockOffsetMs,
  } as const
  const message = await createChallenge(parts, browserId)
  return { message, host: serviceBaseUrl.host, clockOffsetSeconds: Math.round(clockOffsetMs / 1000) }
}
