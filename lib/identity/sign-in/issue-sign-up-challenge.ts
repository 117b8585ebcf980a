import 'server-only'
import type { z } from 'zod'
import type { ActionContext } from '#lib/access/request-context.ts'
import { env } from '#lib/platform/env.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/refuse-beyond-limit.ts'
import { createChallenge, type WalletAccountSchema } from './create-challenge.ts'
import type { IssuedChallenge } from './issue-challenge.ts'

/**
 * Makes the message by which a wallet proves that it belongs to whoever signs up. We check it ourselves, so it names this
 * dashboard, and no wallet warns of it. Throws `Refused`.
 */
export async function issueSignUpChallenge(
  account: z.output<typeof WalletAccountSchema>,
  { browserId, ip }: ActionContext,
): Promise<IssuedChallenge> {
  await refuseBeyondLimit('challenge-per-ip', ip, 'Too many messages were asked for.')
  const { publicUrl } = env()
  const parts = {
    ...account,
    purpose: 'sign-up',
    domain: publicUrl.host,
    uri: new URL('/sign-up', publicUrl).href,
    statement: 'Use this wallet for my new account. This costs nothing and moves no money.',
    clockOffsetMs: 0,
  } as const
  return { message: await createChallenge(parts, browserId), host: publicUrl.host, clockOffsetSeconds: 0 }
}
