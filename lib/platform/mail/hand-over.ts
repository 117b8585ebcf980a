import 'server-only'
import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { z } from 'zod'
import { type Env, env } from '../env.ts'
import { isUnknownAuthority, messageOfError } from '../log/error-fields.ts'
import { isMailbox } from '../rules/mail-address.ts'
import type { TryOutcome } from '../rules/mail-states.ts'
import { oneLine } from '../rules/pasted-text.ts'

/** A message is one mail to one recipient. */
export interface Message {
  /** The id is the same for each try. The Message-ID is made from it, so that mailboxes recognise a copy. */
  readonly id: string
  readonly to: string
  readonly subject: string
  /** The text is plain text. */
  readonly text: string
  readonly writtenAt: Date
}

export interface HandOver {
  /** `beforeText` is called when the server asks for the text. If it throws, nothing is handed over. */
  readonly beforeText: () => Promise<void>
  /** The signal ends a try that has not handed over the text. */
  readonly signal?: AbortSignal
  readonly limits?: typeof patience
}

/**
 * The server must ask for the text within `untilText` milliseconds, however many answers it sends before. It must then
 * confirm the text within `forText` milliseconds, because it may first check and forward it (RFC 5321 §4.5.3.2.6).
 */
const patience = { untilText: 120_000, forText: 600_000 }

type Mail = NonNullable<Env['mail']>

/** `handOver` hands one mail to the mail server. It never throws. */
export async function handOver(
  message: Message,
  { beforeText, signal, limits = patience }: HandOver,
): Promise<TryOutcome> {
  const { mail } = env()
  if (!mail) return { kind: 'later', answer: 'No mail server is set (SMTP_URL).' }
  const [from, address] = [onTheWire(mail.from.address), onTheWire(message.to)]
  if (address === null) return { kind: 'refused', answer: 'This is not one e-mail address.' }
  if (from === null) return { kind: 'later', answer: 'The host of MAIL_FROM is none that DNS can have.' }
  const session = openSession(mail, limits.untilText)
  const stop = () => session.end('this Rampart was stopped')
  let isHandedOver = false
  signal?.addEventListener('abort', stop)
  try {
    signal?.throwIfAborted()
    const offered = await session.signIn()
    // A server without SMTPUTF8 may read such an address as another one.
    if (/[^\0-\x7f]/.test(from + address) && !/[ -]SMTPUTF8\b/im.test(offered))
      return {
        kind: 'refused',
        answer: 'The mail server takes only ASCII letters before the @ of an address (it has no SMTPUTF8).',
      }
    const written = await write(message, mail)
    const text = Readable.from(
      (async function* () {
        await beforeText()
        isHandedOver = true
        signal?.removeEventListener('abort', stop)
        session.wait(limits.forText, 'it has the mail and has not said within 10 minutes that it takes it')
        yield written
      })(),
    )
    const answer = await session.send({ from, to: address }, text)
    return { kind: 'taken', answer: lineOf(answer, message.to) }
  } catch (error) {
    return outcomeOf(error, isHandedOver, message.to)
  } finally {
    signal?.removeEventListener('abort', stop)
    session.close()
  }
}

/** The line says what is wrong with the mail server; null when it accepts mail, or when none is set. */
export async function mailServerFault(): Promise<string | null> {
  const { mail } = env()
  if (!mail) return null
  const session = openSession(mail, 10_000)
  try {
    await session.signIn()
    return null
  } catch (error) {
    return `SMTP_URL: the mail server at ${mail.server.place} does not take mail (${reasonOf(error)}). Until it does, no mail leaves.`
  } finally {
    session.close()
  }
}

/** @param patience milliseconds for each wait, until `wait` sets others */
function openSession({ server }: Mail, patience: number) {
  const connection = new SMTPConnection({
    host: server.host,
    port: server.port,
    secure: server.isTlsFromStart,
    ignoreTLS: server.ignoresTls,
    // Mails can contain sign-in links, so none crosses a network unencrypted.
    requireTLS: !server.isLocal && !server.isTlsFromStart,
    tls: { rejectUnauthorized: !server.isLocal },
    name: server.ownName ?? ownName(env().publicUrl.hostname),
    connectionTimeout: 60_000,
    greetingTimeout: 60_000,
    socketCloseTimeout: 500,
  })
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(raisedByWhoeverWaits)
  const end = (words: string) => ended.reject(new Error(words))
  connection.on('error', ended.reject)
  let timer: NodeJS.Timeout | undefined
  const wait = (ms: number, words: string) => {
    clearTimeout(timer)
    timer = setTimeout(end, ms, words)
  }
  wait(patience, `it has not asked for the mail within ${patience / 1000} s`)
  /** The result is the answer to one call, unless the connection ends before. */
  const answered = <T>(call: (done: (error: Error | null | undefined, answer?: T) => void) => void) =>
    Promise.race([
      ended.promise,
      new Promise<T | undefined>((resolve, reject) => {
        call((error, answer) => (error ? reject(error) : resolve(answer)))
      }),
    ])
  return {
    end,
    wait,
    /** The call connects, and signs in if SMTP_URL has a user. @returns the server's capabilities (EHLO) */
    async signIn(): Promise<string> {
      await answered((done) => connection.connect(done))
      const offered = String(connection.lastServerResponse)
      const ways = /[ -]AUTH[ =](.*)/i.exec(offered)?.[1]
      if (!server.login || ways === undefined) return offered
      if (!ways.split(/\s+/).some((way) => /^(PLAIN|LOGIN|CRAM-MD5)$/i.test(way)))
        throw new Error(
          `it takes no password: it offers ${oneLine(ways)}, and Rampart knows PLAIN, LOGIN and CRAM-MD5`,
        )
      const { user, password: pass } = server.login
      await answered((done) => connection.login({ user, pass }, done))
      return offered
    },
    async send(envelope: { from: string; to: string }, text: Readable): Promise<string> {
      const sent = await answered<{ readonly response?: string }>((done) =>
        connection.send(envelope, text, done),
      )
      connection.quit()
      return sent?.response ?? ''
    },
    close() {
      clearTimeout(timer)
      connection.close()
    },
  }
}

/** Each waiting call races with this promise. Between two calls nobody awaits it. */
const raisedByWhoeverWaits = () => undefined

function write({ id, to, subject, text, writtenAt }: Message, { from }: Mail): Promise<Buffer> {
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    subject,
    text,
    date: writtenAt,
    messageId: `<${id}@${ownName(env().publicUrl.hostname)}>`,
    // Machines must not send automatic replies (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** The host of the address has its DNS form; null when the text is not one mailbox. */
function onTheWire(to: string): string | null {
  if (!isMailbox(to)) return null
  const at = to.lastIndexOf('@')
  const host = to.slice(at + 1)
  const plain = host.startsWith('[') ? host : domainToASCII(host)
  return plain === '' ? null : `${to.slice(0, at)}@${plain}`
}

/** SMTP writes an IP address as a host in brackets (RFC 5321 §4.1.3). */
function ownName(hostname: string): string {
  if (hostname.startsWith('[')) return `[IPv6:${hostname.slice(1, -1)}]`
  return /^[\d.]+$/.test(hostname) ? `[${hostname}]` : hostname.replace(/\.$/, '')
}

/** A refusal of the mail or of its recipient is final. A refusal of this sender, or for the moment, may be solved later. */
function outcomeOf(error: unknown, isHandedOver: boolean, to: string): TryOutcome {
  const { responseCode = 0, command = '' } = SmtpErrorSchema.parse(error)
  const answer = lineOf(reasonOf(error), to)
  if (responseCode < 400) return { kind: isHandedOver ? 'unsure' : 'later', answer }
  return { kind: responseCode >= 500 && /^(RCPT TO|DATA)$/.test(command) ? 'refused' : 'later', answer }
}

/** nodemailer reports these fields of a failure beside its message. */
const SmtpErrorSchema = z
  .object({
    responseCode: z.number().optional().catch(undefined),
    response: z.string().optional().catch(undefined),
    command: z.string().optional().catch(undefined),
    /** The code is that of the system error behind it. */
    originalCode: z.string().optional().catch(undefined),
  })
  .catch({})

function reasonOf(error: unknown): string {
  const { response, command, originalCode } = SmtpErrorSchema.parse(error)
  if (response !== undefined) return command && command !== 'CONN' ? `${command}: ${response}` : response
  const named = Object.assign(new Error(), { code: originalCode })
  return messageOfError(isUnknownAuthority(named) ? named : error)
}

/** The address is removed, because servers repeat it and answers are stored and logged. */
const lineOf = (answer: string, to: string): string =>
  oneLine(answer)
    .replaceAll(new RegExp(RegExp.escape(to), 'gi'), '…')
    .slice(0, 200)
