import { isLoopbackHost } from './network-addresses.ts'
import { type CleanText, isVisibleName } from './pasted-text.ts'

/** The sender of mail is a mailbox with a name before it. */
export interface MailSender {
  readonly name: string
  readonly address: string
}

/** An atom has any letter and sign beyond ASCII (RFC 6531), ASCII's letters, and these signs (RFC 5322 §3.2.3). */
const atom = "[\\p{L}\\p{M}\\p{N}\\p{S}!#$%&'*+/=?^_`{|}~-]+"
const quoted = '"(?:[^"\\\\\\p{Cc}]|\\\\\\P{Cc})*"'
const label = '[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?'
const host = `(?:${label}\\.)+(?!\\d+$)${label}`
const whole = new RegExp(`^(?:${atom}(?:\\.${atom})*|${quoted})@(?:${host}|\\[[\\da-f.:]+\\])$`, 'iu')

/** The parts before and after the `@` have at most these lengths (RFC 5321 §4.5.3.1). */
const [mostBefore, mostBehind] = [64, 255] as const

/** `isEmailAddress` accepts every e-mail address that the service may know, also with rare signs and letters. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  return at <= mostBefore && text.length - at - 1 <= mostBehind && whole.test(text)
}

/**
 * `onlyEmailAddress` reads a text that is one e-mail address, also as a link, after a name, or with signs around it; null
 * for anything else. A word beside it may belong to it: `ana lima@demo.test` has a slip.
 */
export function onlyEmailAddress(text: string): string | null {
  if (isEmailAddress(text)) return text
  if (text.split('@').length !== 2) return null
  const bare = text.replace(/(?<![\s;,.])[\s;,.]+$/, '')
  const inside = /^[^<>]*<([^<>]*)>$/.exec(bare)?.[1] ?? bare
  const link = /^mailto:([^?]*)/i.exec(inside)?.[1]
  return (
    [link ?? inside, inside.replace(/^["'`([{]+|(?<!["'`)}])["'`)}]+$/g, '')].find(isEmailAddress) ?? null
  )
}

/** Programs put the name of a field before an address, also in a query, although it could belong to it. */
const before = /^(?:[^@]*[?&])?[\w.-]{0,40}?(?:mail|recipient|user|login|to|from|cc|address)[\w.-]{0,40}=/i

/** Quotes and brackets can surround an address. An apostrophe inside it belongs to it. */
const around = /^(?:["'`([<*]|\{(?!.*\}))+(?=[^@]*\w)/

const inAddress = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/u

/**
 * `findEmailAddress` finds an e-mail address in a text; null for none. After `://`, the text is a web address that contains
 * the e-mail address, or has it as a parameter.
 */
export function findEmailAddress(text: CleanText): string | null {
  if (isEmailAddress(text) && !before.test(text)) return text
  const spelled = text.replace(spelledAt, '@').replace(spelledDot, '.')
  return findWritten(text) ?? (spelled === text ? null : findWritten(spelled))
}

/** People write these signs of an address as words to hide it from programs. */
export const signsInWords = {
  '@': '\\(at\\)|\\[at\\]|\\{at\\}',
  '.': '\\(dot\\)|\\[dot\\]|\\{dot\\}',
} as const

/** Pages break an address in this way. */
const spelledAt = new RegExp(` ?(?:${signsInWords['@']}) ?| @ `, 'gi')
const spelledDot = new RegExp(` ?(?:${signsInWords['.']}) ?`, 'gi')

function findWritten(text: string): string | null {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const ahead = text.slice(Math.max(0, at - mostBefore - 20), at)
    const inQuotes = /"(?:[^"\\]|\\.)+"$/.exec(ahead)?.[0]
    const isOfWeb = text.lastIndexOf('://', at) > text.lastIndexOf(' ', at)
    const [word = ''] = (isOfWeb ? /[^\s@:;,<>"/?=&#]+$/ : /[^\s@:;,<>"()[\]]+$/).exec(ahead) ?? []
    const local = inQuotes ?? word.replace(before, '').replace(around, '')
    const [domain = ''] = inAddress.exec(text.slice(at + 1, at + 1 + mostBehind)) ?? []
    const found = `${local}@${domain.replace(/-+$/, '')}`
    const read = [found, withoutMarks(found)].find(isEmailAddress)
    if (read !== undefined) return read
  }
  return null
}

/** Bullets, icons or bars of a list may touch an address, although most of these signs could belong to it. */
export const withoutMarks = (email: string): string => email.replace(/^[^\p{L}\p{N}"@]+(?=[^@])/u, '')

/**
 * `isMailbox` accepts a text that is one mailbox for mail. A quoted local part may contain `@` and `,`, and some programs on
 * the way have read a second address from it.
 */
export const isMailbox = (text: string): boolean =>
  text.length <= 254 && !text.startsWith('"') && isEmailAddress(text)

/** The key is the same for two spellings of one mailbox. */
export const mailboxKey = (address: string): string => address.normalize('NFC').toLowerCase()

/**
 * A waiting mail is for the members with these ids. The result is those of them whom it reaches now, all at one mailbox: its
 * recipient, or else the present address of the first. A mail whose members are gone stays with whoever has its address.
 */
export function presentRecipients<Member extends { readonly id: string; readonly address: string }>(
  recipient: string,
  ids: readonly string[],
  members: readonly Member[],
): readonly Member[] {
  const meant = members.filter(({ id }) => ids.includes(id))
  const at = (address: string) => (one: Member) => mailboxKey(one.address) === mailboxKey(address)
  const staying = (meant.length > 0 ? meant : members).filter(at(recipient))
  const [first] = meant
  return staying.length > 0 || !first ? staying : meant.filter(at(first.address))
}

/** `parseSender` reads a sender of `MAIL_FROM`: `a@b`, `Name <a@b>` or `"Name" <a@b>`; null for anything else. */
export function parseSender(text: string): MailSender | null {
  const { before = '', inside, bare } = sender.exec(text.trim())?.groups ?? {}
  const address = inside ?? bare ?? ''
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(before)?.[1]?.replace(/\\(.)/g, '$1')
  const name = (quoted ?? before).trim()
  // An address in the name is a second sender, or looks like one.
  const isName = name === '' || (isVisibleName(name) && !name.includes('@'))
  const isQuotedWell = quoted !== undefined || !before.includes('"')
  return isMailbox(address) && isName && isQuotedWell ? { name, address } : null
}

const sender = /^(?:(?<before>[^<>\p{Cc}\u2028\u2029]*?)\s*<(?<inside>[^<>\s]+)>|(?<bare>[^<>\s]+))$/u

/** `SMTP_URL` names a mail server with these values. */
export interface MailServer {
  /** Messages show the place, without user and password. */
  readonly place: string
  readonly host: string
  readonly port: number
  /** TLS begins with the first byte (`smtps:`), and not by STARTTLS. */
  readonly isTlsFromStart: boolean
  /** The server is on this machine: mail crosses no network, and its certificate need not be trusted by others. */
  readonly isLocal: boolean
  /** STARTTLS is not used although it is offered. Only a server on this machine allows this. */
  readonly ignoresTls: boolean
  readonly login: { readonly user: string; readonly password: string } | null
  /** The machine gives itself this name at the server (EHLO), if it was set. */
  readonly ownName: string | null
}

/** `readMailServer` reads `SMTP_URL`. A text result says what is wrong. No parameter turns TLS off for another machine. */
export function readMailServer(text: string): MailServer | string {
  if (!/^smtps?:\/\//i.test(text)) return 'must be smtp://… or smtps://…'
  const url = URL.parse(text)
  if (url?.hostname === '') return 'must name a host'
  if (!url || !['', '/'].includes(url.pathname) || url.hash !== '')
    return 'cannot be read as an address: write signs in the password such as # / ? % as %23 %2F %3F %25'
  const login = readLogin(url)
  if (typeof login === 'string') return login
  const isLocal = isLoopbackHost(url.hostname)
  const given = [...url.searchParams]
  const refused = given.find(([name, value]) => !isTaken(name, value, isLocal))
  if (refused) return faultOf(refused[0])
  const isTlsFromStart = url.protocol === 'smtps:'
  return {
    place: url.host,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isTlsFromStart ? 465 : 587),
    isTlsFromStart,
    isLocal,
    ignoresTls: url.searchParams.has('ignoreTLS'),
    login,
    ownName: url.searchParams.get('name'),
  }
}

function readLogin({ username, password }: URL): MailServer['login'] | string {
  if (username === '' && password === '') return null
  if (username === '' || password === '') return 'must have a user and a password, or neither'
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return 'cannot be read: write a % in the user or the password as %25'
  }
}

const isTaken = (name: string, value: string, isLocal: boolean): boolean =>
  name === 'name' ? ownName.test(value) : name === 'ignoreTLS' && value === 'true' && isLocal

/** The name is a host, or an address in brackets (RFC 5321 §4.1.3). */
const ownName = /^(?:[\da-z](?:[\da-z.-]*[\da-z])?|\[[\da-f.:]+\]|\[ipv6:[\da-f:.]+\])$/i

const faultOf = (name: string): string =>
  name === 'name'
    ? 'must give a host as its name, such as ?name=dash.example.com'
    : `must not have ${/^[\w.-]{1,40}$/.test(name) ? name : 'such a parameter'}: Rampart takes name alone. To another machine mail goes by TLS with a certificate that is checked; NODE_EXTRA_CA_CERTS names an authority of your own`
