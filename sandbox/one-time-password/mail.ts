import { createTransport, type SendMailOptions } from 'nodemailer'
import { z } from 'zod'
import { type QueryClient, transaction } from '../database/pool.ts'
import { otpBounced } from '../scenarios/account-scenarios.ts'
import { startPlay } from '../scenarios/play.ts'
import type { Account } from '../service/accounts.ts'
import type { Sandbox } from '../state/sandbox.ts'
import { addSeconds } from '../time/clock.ts'

/**
 * The mail with a code goes into the mailbox, and to the mail server when there is one. The job and the code share a
 * transaction: neither exists without the other. ASSUMED: mails to addresses that end in .invalid bounce and never leave.
 */
export async function mailCode(
  sandbox: Sandbox,
  database: QueryClient,
  account: Account,
  code: string,
  now: Date,
): Promise<void> {
  const id = sandbox.ids.uuid('mail')
  const bounces = account.email.toLowerCase().endsWith('.invalid')
  await database.query(
    'INSERT INTO mail (id, user_uuid, email, code, sent_at, bounced) VALUES ($1, $2, $3, $4, $5, $6)',
    [id, account.uuid, account.email, code, now, bounces],
  )
  if (bounces) await reportBounce(sandbox, database, account)
  else if (sandbox.smtpUrl) await database.query(QUEUE, [id])
}

/** A bounce notifies the endpoints (§6.6). ASSUMED: 2 s after the mail came back. `reply` is the mail server's answer. */
async function reportBounce(
  sandbox: Sandbox,
  database: QueryClient,
  account: Pick<Account, 'uuid' | 'email'>,
  reply?: string,
): Promise<void> {
  const envelope = otpBounced(account, addSeconds(sandbox.clock.now(), bounceSeconds), reply)
  const steps = [{ afterSeconds: bounceSeconds, envelope }]
  await startPlay(database, sandbox, { scenario: 'mail bounced', userUuid: account.uuid, steps, speed: 1 })
}

const bounceSeconds = 2

/** Mails leave one after the other, so that a slow mail server delays nothing else. */
const QUEUE = `SELECT add_job('mail', json_build_object('mail', $1::uuid), queue_name := 'mail')`

export interface MailPatience {
  /** The server must ask for the text within so many milliseconds, however many answers it sends before. */
  readonly untilText: number
  /** It must then confirm the text within so many milliseconds (RFC 5321 §4.5.3.2.6). */
  readonly forText: number
}

export const mailPatience: MailPatience = { untilText: 120_000, forText: 600_000 }

/**
 * `sendMail` hands one mail to the mail server. A temporary failure throws, so that the queue retries until the code
 * expires. A mail refused for good has bounced. A mail that was handed over without an answer may have arrived, and is not
 * repeated. A second run after a crash sends the mail again under the same Message-ID.
 */
export async function sendMail(sandbox: Sandbox, payload: unknown, patience: MailPatience): Promise<void> {
  const { pool, clock, options, smtpUrl, publicUrl, stopping, log } = sandbox
  const { mail: id } = MailJobSchema.parse(payload)
  const { rows } = await pool.query('SELECT email, user_uuid, code, sent_at FROM mail WHERE id = $1', [id])
  if (!rows[0] || !smtpUrl) return
  const mail = MailRowSchema.parse(rows[0])
  const expiresAt = addSeconds(mail.sent_at, options.codeMinutes * 60)
  if (expiresAt <= clock.now()) return log.warn({ mail: id }, 'mail given up: its code has expired')
  const transport = createTransport({ url: smtpUrl, ...timeouts, socketTimeout: patience.forText })
  const ended = new AbortController()
  // A slow mail server does not keep the sandbox from stopping. The mail leaves after the next start.
  const signal = AbortSignal.any([stopping, ended.signal])
  const end = (what: string) => ended.abort(new Error(`The mail server has not ${what}`))
  let deadline = setTimeout(end, patience.untilText, 'asked for the mail in time')
  let isHandedOver = false
  transport.use('stream', ({ message }, done) => {
    // The text is read as soon as the server has asked for it.
    message.processFunc((text) =>
      text.once('resume', () => {
        isHandedOver = true
        clearTimeout(deadline)
        deadline = setTimeout(end, patience.forText, 'confirmed the mail in time')
      }),
    )
    done()
  })
  try {
    await transport.sendMail({ ...composeMail({ id, ...mail, expiresAt, publicUrl }), signal })
    log.debug({ mail: id }, 'mail sent')
  } catch (error) {
    const refused = RefusedForGoodSchema.safeParse(error)
    if (refused.success) {
      log.debug({ mail: id, status: refused.data.responseCode }, 'mail bounced')
      await bounce(sandbox, id, mail, refused.data.response)
      return
    }
    const err = signal.aborted ? signal.reason : error
    if (!isHandedOver || AnsweredSchema.safeParse(error).success) throw err
    log.warn({ mail: id, err }, 'mail handed over without an answer: it is not repeated')
  } finally {
    clearTimeout(deadline)
    transport.close()
  }
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

/**
 * A 5xx counts as final when it is about the recipient or the mail. A person can correct a setting when it is about our
 * name, password or sender.
 */
const RefusedForGoodSchema = z.object({
  command: z.enum(['RCPT TO', 'DATA']),
  responseCode: z.number().int().min(500).max(599),
  response: z.string().transform((text) => text.replace(/\s+/g, ' ').slice(0, 500)),
})

const AnsweredSchema = z.object({ responseCode: z.number() })

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000 }

/** The mail contains the code as plain text and as HTML. ASSUMED: the default sender and content (§1). */
function composeMail(mail: {
  id: string
  email: string
  code: string
  sent_at: Date
  expiresAt: Date
  publicUrl: string
}): SendMailOptions {
  const host = new URL(mail.publicUrl).hostname
  const validity = `It can be used once, until ${shown(mail.expiresAt)} UTC.`
  const warning = 'If you did not ask for it, you can ignore this mail. Give the code to nobody.'
  return {
    from: `no-reply@${host}`,
    to: { name: '', address: mail.email },
    date: mail.sent_at,
    messageId: `<${mail.id}@${host}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    subject: 'Your one-time password',
    text: `Your one-time password is ${mail.code}\n\n${validity}\n${warning}\n`,
    html: `<p>Your one-time password is</p>
<p style="font: 600 28px monospace; letter-spacing: 0.1em">${mail.code}</p>
<p>${validity}<br>${warning}</p>
`,
  }
}

const shown = (moment: Date) =>
  moment.toLocaleString('en-GB', { timeZone: 'UTC', dateStyle: 'long', timeStyle: 'short' })
