import type { CleanText } from './pasted-text.ts'

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

/** Programs put these words before an address, although they could belong to it. */
const before = /^(?:e-?mail|mail|mailto|user|login|to|from|cc|address)=/i

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

/** People write an address in this form to hide it from programs, and pages break it in this way. */
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
