import { once } from 'node:events'
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { transaction } from '../database/transaction.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'
import { composeMail } from './compose-mail.ts'
import { reportBounce } from './mail-code.ts'

/**
 * Hands one mail to the mail server. Throws when that fails for now, so that the queue retries; gives up when
 * the code has expired. A mail refused for good counts as bounced. If it runs twice after a crash, it sends
 * twice under one Message-ID.
 */
export async function sendMail(sandbox: Sandbox, payload: unknown): Promise<void> {
  const { pool, clock, options, smtpUrl, publicUrl, stopping, log } = sandbox
  const { mail: id } = MailJobSchema.parse(payload)
  const { rows } = await pool.query('SELECT email, user_uuid, code, sent_at FROM mail WHERE id = $1', [id])
  if (!rows[0] || !smtpUrl) return
  const mail = MailRowSchema.parse(rows[0])
  const expiresAt = addSeconds(mail.sent_at, options.codeMinutes * 60)
  if (expiresAt <= clock.now()) return log.warn({ mail: id }, 'mail given up: its code has expired')
  const transport = createTransport({ url: smtpUrl, ...timeouts })
  const done = new AbortController()
  try {
    const sending = transport.sendMail(composeMail({ id, ...mail, expiresAt, publicUrl }))
    await Promise.race([sending, failWhen(stopping, done.signal)])
    log.debug({ mail: id }, 'mail sent')
  } catch (error) {
    const refused = RefusedForGoodSchema.safeParse(error)
    if (!refused.success) throw error
    log.debug({ mail: id, status: refused.data.responseCode }, 'mail bounced')
    await bounce(sandbox, id, mail, refused.data.response)
  } finally {
    done.abort()
    transport.close()
  }
}

/** A mail server that hangs does not keep the sandbox from stopping: the mail leaves after the next start. */
async function failWhen(stopping: AbortSignal, done: AbortSignal) {
  await once(stopping, 'abort', { signal: done })
  throw new Error('The sandbox stops')
}

async function bounce(sandbox: Sandbox, id: string, mail: z.output<typeof MailRowSchema>, reply: string) {
  await transaction(sandbox.pool, async (database) => {
    const { rowCount } = await database.query(
      'UPDATE mail SET bounced = true WHERE id = $1 AND NOT bounced',
      [id],
    )
    if (rowCount) await reportBounce(sandbox, database, { uuid: mail.user_uuid, email: mail.email }, reply)
  })
}

const MailJobSchema = z.object({ mail: z.uuid() })

const MailRowSchema = z.object({
  email: z.string(),
  user_uuid: z.string(),
  code: z.string(),
  sent_at: z.date(),
})

/** A 5xx about the recipient or the mail. One about our name, password or sender is a setting to be mended. */
const RefusedForGoodSchema = z.object({
  command: z.enum(['RCPT TO', 'DATA']),
  responseCode: z.number().int().min(500).max(599),
  response: z.string().transform((text) => text.replace(/\s+/g, ' ').slice(0, 500)),
})

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 10_000 }
