import 'server-only'
import type { z } from 'zod'
import { env } from '#lib/env.ts'
import { consumeLimit } from '#lib/limits/limits.ts'
import { refuseWithWait } from '#lib/limits/refuse-with-wait.ts'
import type { ActionContext } from '#lib/request/request-context.ts'
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
  const wait = await consumeLimit('challenge-per-ip', ip)
  if (wait > 0) throw refuseWithWait(wait, 'Too many messages were asked for.')
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
