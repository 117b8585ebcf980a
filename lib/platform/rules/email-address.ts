import type { CleanText } from './pasted-text.ts'
import { isVisibleName } from './visible-text.ts'

/** Any letter and sign beyond ASCII (RFC 6531), and beside ASCII's letters these signs (RFC 5322 §3.2.3). */
const atom = "[\\p{L}\\p{M}\\p{N}\\p{S}!#$%&'*+/=?^_`{|}~-]+"
const quoted = '"(?:[^"\\\\\\p{Cc}]|\\\\\\P{Cc})*"'
const label = '[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?'
const host = `(?:${label}\\.)+(?!\\d+$)${label}`
const whole = new RegExp(`^(?:${atom}(?:\\.${atom})*|${quoted})@(?:${host}|\\[[\\da-f.:]+\\])$`, 'iu')

/** Most characters before and behind the `@` (RFC 5321 §4.5.3.1). */
const [mostBefore, mostBehind] = [64, 255] as const

/** Tells an e-mail address from any other text: also one with signs and letters that few have, as the service may know it. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  return at <= mostBefore && text.length - at - 1 <= mostBehind && whole.test(text)
}

/** Programs put these before an address, which could hold them as well. */
const before = /^(?:e-?mail|mail|mailto|user|login|to|from|cc|address)=/i

/** Quotes and brackets around an address; an apostrophe within it is its own. */
const around = /^(?:["'`([<*]|\{(?!.*\}))+(?=[^@]*\w)/

const inAddress = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/u

/**
 * The e-mail address somewhere in a text; null where there is none. Behind `://` stands an address of the web, of which it is a
 * part or the value of a parameter.
 */
export function findEmailAddress(text: CleanText): string | null {
  if (isEmailAddress(text) && !before.test(text)) return text
  const spelled = text.replace(spelledAt, '@').replace(spelledDot, '.')
  return findWritten(text) ?? (spelled === text ? null : findWritten(spelled))
}

/** People hide an address from programs so, and pages break it. */
const spelledAt = /[ ]?(?:\(at\)|\[at\]|\{at\})[ ]?|[ ]@[ ]/gi
const spelledDot = /[ ]?(?:\(dot\)|\[dot\]|\{dot\})[ ]?/gi

function findWritten(text: string): string | null {
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const ahead = text.slice(Math.max(0, at - mostBefore - 20), at)
    const inQuotes = /"(?:[^"\\]|\\.)+"$/.exec(ahead)?.[0]
    const isOfWeb = text.lastIndexOf('://', at) > text.lastIndexOf(' ', at)
    const [word = ''] = (isOfWeb ? /[^\s@:;,<>"/?=&#]+$/ : /[^\s@:;,<>"()[\]]+$/).exec(ahead) ?? []
    const local = inQuotes ?? word.replace(before, '').replace(around, '')
    const [domain = ''] = inAddress.exec(text.slice(at + 1, at + 1 + mostBehind)) ?? []
    const found = `${local}@${domain.replace(/-+$/, '')}`
    if (isEmailAddress(found)) return found
  }
  return null
}

/** Who mail comes from: a mailbox, and the name that stands before it. */
export interface MailSender {
  readonly name: string
  readonly address: string
}

/**
 * Tells one mailbox, to which mail may go, from any other text. A local part in quotes may hold `@` and `,`, and programs on the way
 * have read a second address out of it.
 */
export const isMailbox = (text: string): boolean =>
  text.length <= 254 && !text.startsWith('"') && isEmailAddress(text)

/** The same for two spellings of one mailbox. */
export const mailboxKey = (address: string): string => address.normalize('NFC').toLowerCase()

/** A sender as `MAIL_FROM` gives it: `a@b`, `Name <a@b>` or `"Name" <a@b>`; null when it is anything else. */
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
