import { isEmailAddress } from './email-address.ts'
import { isVisibleName } from './visible-text.ts'

/** The sender of mail is a mailbox with a name before it. */
export interface MailSender {
  readonly name: string
  readonly address: string
}

/**
 * `isMailbox` accepts a text that is one mailbox for mail. A quoted local part may contain `@` and `,`, and some programs on
 * the way have read a second address from it.
 */
export const isMailbox = (text: string): boolean =>
  text.length <= 254 && !text.startsWith('"') && isEmailAddress(text)

/** The key is the same for two spellings of one mailbox. */
export const mailboxKey = (address: string): string => address.normalize('NFC').toLowerCase()

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
