import 'server-only'
import { createTransport } from 'nodemailer'
import { isLoopbackHost } from '#lib/domain/text/loopback-host.ts'
import { env } from '#lib/env.ts'
import { messageOfError } from '#lib/log/error-fields.ts'
import { logOf } from '#lib/log.ts'

const log = logOf('mail')

export interface Mail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

/**
 * Hands one mail to the mail server. `off`: no server is set. `failed`: it did not take the mail; the log says why, and
 * nothing of what the mail says.
 */
export async function sendMail({ to, subject, text }: Mail): Promise<'sent' | 'failed' | 'off'> {
  const { mail } = env()
  if (!mail) return 'off'
  const transport = transportTo(mail.smtpUrl)
  try {
    await transport.sendMail({ from: mail.from, to, subject, text })
    return 'sent'
  } catch (error) {
    log.warn({ err: error }, 'A mail could not be handed to the mail server')
    return 'failed'
  } finally {
    transport.close()
  }
}

/** A line on what is wrong with the mail server; null when it takes us, and where none is set. */
export async function mailServerFault(): Promise<string | null> {
  const { mail } = env()
  if (!mail) return null
  const transport = transportTo(mail.smtpUrl)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return `SMTP_URL: the mail server at ${new URL(mail.smtpUrl).host} does not take mail (${messageOfError(error)}). Until it does, no mail leaves.`
  } finally {
    transport.close()
  }
}

/** Mails carry what lets people in: it does not cross a network in the clear. */
const transportTo = (url: string) =>
  createTransport({ url, requireTLS: !isLoopbackHost(new URL(url).hostname), ...timeouts })

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 10_000 }
