import 'server-only'
import { Readable } from 'node:stream'
import { domainToASCII } from 'node:url'
import { z } from 'zod'
import { type Env, env } from '../env.ts'
import { isUnknownAuthority, messageOfError } from '../log/error-fields.ts'
import { isMailbox, mailboxKey } from '../rules/mail-address.ts'
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
  const session = await openSession(mail, limits.untilText)
  const stop = () => session.end('this Rampart was stopped')
  let isHandedOver = false
  signal?.addEventListener('abort', stop)
  try {
    signal?.throwIfAborted()
    const offered = await session.signIn()
    // A server without SMTPUTF8 may read such an address as another one.
    if (/[^\0-\x7f]/.test(from + address) && !/\n\d+[ -]SMTPUTF8\b/i.test(offered))
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
    return { kind: 'taken', answer: lineOf(answer, [message.to, address]) }
  } catch (error) {
    const isToUs = mailboxKey(from) === mailboxKey(address)
    const senders = isToUs ? [] : [mail.from.address, from]
    return outcomeOf(error, isHandedOver, { senders, recipients: [message.to, address] })
  } finally {
    signal?.removeEventListener('abort', stop)
    session.close()
  }
}

/** The line says what is wrong with the mail server; null when it accepts mail, or when none is set. */
export async function mailServerFault(): Promise<string | null> {
  const { mail } = env()
  if (!mail) return null
  const session = await openSession(mail, 10_000)
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
async function openSession({ server }: Mail, patience: number) {
  // Most programs that know this module send no mail, and nodemailer takes long to load.
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
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
      if (!server.login) return offered
      // The first line only greets. Some servers repeat the offer for old clients, with others behind `AUTH=`.
      const ways = [...offered.matchAll(/\n\d+[ -]AUTH[ =](.*)/gi)].flatMap(([, line = '']) =>
        line.split(/[\s=]+/),
      )
      if (ways.length === 0)
        throw new Error('it offers no sign-in (AUTH), and SMTP_URL has a user and a password')
      if (!ways.some((way) => /^(PLAIN|LOGIN|CRAM-MD5)$/i.test(way)))
        throw new Error(
          `it takes no password: it offers ${oneLine(ways.join(' '))}, and Rampart knows PLAIN, LOGIN and CRAM-MD5`,
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

async function write({ id, to, subject, text, writtenAt }: Message, { from }: Mail): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
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

/** Both lists have each spelling of one address. `senders` is empty when we write to ourselves. */
interface Spellings {
  readonly senders: readonly string[]
  readonly recipients: readonly string[]
}

/** A refusal of the mail or of its recipient is final. A refusal of this sender, or for the moment, may be solved later. */
function outcomeOf(error: unknown, isHandedOver: boolean, { senders, recipients }: Spellings): TryOutcome {
  const { responseCode = 0, response = '', command = '' } = SmtpErrorSchema.parse(error)
  const answer = lineOf(reasonOf(error), recipients)
  if (responseCode < 400) return { kind: isHandedOver ? 'unsure' : 'later', answer }
  const isFinal =
    responseCode >= 500 &&
    /^(RCPT TO|DATA)$/.test(command) &&
    !refusesUs(response) &&
    !senders.some((sender) => names(response, sender))
  return { kind: isFinal ? 'refused' : 'later', answer }
}

/**
 * A server may keep a refusal of this client or sender until RCPT or DATA, as Postfix does. Its code then says that we must
 * sign in or encrypt, or did so wrongly. An enhanced code (RFC 3463) is about the sender, the protocol or a policy. Servers
 * such as Exim and qmail have such a code in brackets, or only words.
 */
function refusesUs(response: string): boolean {
  if (/^5(?:03|30|34|35|38)\b/m.test(response) || ofExchangeSender.test(response)) return true
  const codes = codesOf(response, /^5\d\d[ -]#?5\.(\d{1,3}\.\d{1,3})(?!\d)/gm)
  if (codes.length === 0) codes.push(...codesOf(response, /[([]#?5\.(\d{1,3}\.\d{1,3})(?!\.?\d)/g))
  if (codes.some((code) => ofSender.test(code))) return true
  // Every other code is about the recipient or the text, unless it is about the route or undefined.
  return codes.every((code) => /^4\.|\.0$/.test(code)) && refusesUsInWords.test(wordsOf(response))
}

/** Gmail answers 4.5 above its limit for a day, Exchange 1.90, and 2.252 to a sender that the account may not use. */
const ofSender = /^(?:1\.(?:[78]|90)|2\.252|4\.5|[57]\.\d+)$/

/** Exchange names its refusal of a sender behind a code that says nothing. */
const ofExchangeSender = /:(?:SendAsDenied|SubmissionQuotaExceeded|OutboundSpam)Exception\b/

const codesOf = (response: string, pattern: RegExp) =>
  [...response.matchAll(pattern)].map(([, code = '']) => code)

/**
 * A mailbox that is full or over its quota is the recipient's, and so may be an account that is not "your account". A limit of
 * what is sent is ours. A recipient may block the sender, or be a group to which not everybody may send.
 */
const refusesUsInWords = new RegExp(
  `(?<![\\p{L}\\p{N}-])(?:${[
    'relay(?:s|ed|ing)?|(?:un)?authenticat(?:e|ed|ion)|smtp auth|(?:auth|login|tls) (?:is )?required',
    'not authori[sz]ed|starttls|(?:you must|please) (?:log|sign)[ -]?in(?: (?:first|to send|before)|[.!]?$)',
    '(?:allowed|permitted) to send(?! (?:(?:an? |any )?(?:(?:e-?)?mails?|messages?) )?to\\b)',
    'client host|blocked using|(?:black|block|deny)[ -]?list(?:ed)?|rcpthosts|your (?:ip|host|server)|reverse dns|helo|ehlo',
    'sender (?:address|domain|verify|verification|identity|signature)|verified sender|e-?mail address is not verified',
    '(?:invalid|bad) sender|your plan limit|(?:exceeded|reached|limit of) your plan',
    'sender (?:is |was )?(?:not|rejected|refused|denied|blocked)(?! (?:[\\p{L}-]{1,20} )?by (?:the |this )?(?:recipient|user)\\b)',
    "your (?:account|plan)(?:['’]s)? (?:has|is|was|does|can|cannot|may|suspended|blocked|disabled|limited|locked|exceeded)",
    '(?:send(?:ing|er)|submission|out(?:going|bound)|rate|messaging) (?:over ?)?(?:limit|quota)s?',
    "(?<!(?:(?:mail|in)box|recipient)(?:['’]s)? (?:[\\p{L}-]{1,20} )?)message (?:limit|quota)s?",
    "(?<!(?:(?:mail|in)box|recipient)(?:['’]s)? )(?:hourly|daily|weekly|monthly) (?:(?!receiving )[\\p{L}-]{1,20} )?(?:limit|quota)s?",
    'out(?:going|bound) (?:(?:e-?)?mails?|messages?)|per (?:second|minute|hour|day)|sending (?:suspended|paused|activity)',
    'exceeded the max(?:imum)? (?:defers|e-?mails)|too many (?:e-?mails|messages)(?! in (?:[\\p{L}-]{1,20} )?(?:mail|in)box)',
  ].join('|')})(?![\\p{L}\\p{N}-])`,
  'iu',
)

/** Addresses and the names of hosts are left out, because they may have any word. */
const wordsOf = (response: string): string =>
  response
    .replaceAll(/^\d{3}[ -]|<[^<>]*>|"[^"]*"/gm, ' ')
    .split(/\s+/)
    .filter((word) => !/@|%40|\.\p{L}/u.test(word))
    .join(' ')

/** The text has the address, and not only as a part of a longer one. */
const names = (text: string, address: string): boolean =>
  new RegExp(
    `(?<![\\p{L}\\p{N}._%+-])${RegExp.escape(address)}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`,
    'iu',
  ).test(text)

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

/** Addresses are removed, because servers repeat them and answers are stored and logged. */
const lineOf = (answer: string, spellings: readonly string[]): string =>
  oneLine(answer)
    .replaceAll(new RegExp([...spellings.map(RegExp.escape), likeAddress].join('|'), 'giu'), '…')
    .slice(0, 200)

/** The text around an `@` or its escape in a web address looks like an address. */
const likeAddress = '(?<![^\\s<>"(),:;=])[^\\s<>"(),:;=]+(?:@|%40)[^\\s<>"(),:;=]+'
