import type { CleanText } from './pasted-text.ts'

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
