import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { EmailAddressSchema } from '#lib/platform/forms/fields.ts'
import { queueClaimed } from '#lib/platform/mail/mail-queue.ts'
import { type TriedMail, tryNow } from '#lib/platform/mail/try-mail.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'

export const SendTestMailSchema = z.object({
  to: EmailAddressSchema.refine(isMailbox, 'Mail cannot go to an address in quotes.'),
})

/**
 * `sendTestMail` sends a mail that says only where it is from, and returns the result. It throws `NotAllowed` and
 * `Refused`.
 */
export async function sendTestMail(
  caller: Caller,
  { to }: z.output<typeof SendTestMailSchema>,
  source: CallSource,
): Promise<TriedMail> {
  requirePermission(caller, 'manage-settings')
  const { mail, publicUrl } = env()
  if (mail === null) throw new Refused('no-mail-server')
  const written = {
    subject: `Test mail from Rampart at ${publicUrl.hostname}`,
    text: `An admin of Rampart at ${publicUrl.hostname} sent this to see whether mail arrives. It did.\n`,
  }
  const queued = await inTransaction(pool(), async (tx) => {
    await recordAudit(tx, { actor: caller, action: 'mail.test', outcome: 'done' }, source)
    return queueClaimed(tx, { kind: 'test', recipient: to, about: [], written })
  })
  return tryNow(pool(), queued)
}
