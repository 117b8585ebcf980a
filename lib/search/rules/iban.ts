import { findWholeIds, wrapped } from '#lib/platform/rules/whole-ids.ts'

/** The shape of a normalised IBAN (ISO 13616). */
export const ibanShape = /^[a-z]{2}\d{2}[a-z0-9]{11,30}$/

/** The shape and the check digits of a normalised text are checked: letters count from 10, the whole is 1 modulo 97. */
export function isIban(text: string): boolean {
  if (!ibanShape.test(text)) return false
  let rest = 0
  for (const character of text.slice(4) + text.slice(0, 4))
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** Each country has its own length of an IBAN (the SWIFT registry); a country that is missing is not checked. */
export const ibanLengths: ReadonlyMap<string, number> = new Map(
  'ad24 ae23 al28 at20 az28 ba20 be16 bg22 bh22 bi27 br29 by28 ch21 cr22 cy28 cz24 de22 dj27 dk18 do28 ee20 eg29 es24 fi18 fk18 fo18 fr27 gb22 ge22 gi23 gl18 gr27 gt28 hn28 hr21 hu28 ie22 il23 iq23 is26 it27 jo30 kw30 kz20 lb28 lc32 li21 lt20 lu20 lv21 ly25 mc27 md24 me22 mk19 mn20 mr27 mt31 mu30 ni28 nl18 no15 om23 pk24 pl28 ps29 pt25 qa29 ro24 rs22 ru33 sa24 sc31 sd18 se24 si19 sk24 sm27 so23 st25 sv28 tl23 tn24 tr26 ua29 va22 vg24 xk20 ye30'
    .split(' ')
    .map((line) => [line.slice(0, 2), Number(line.slice(2))]),
)

/** The IBAN in a text is normalised. `from` is its first character, `to` the one after its last. */
export interface PlacedIban {
  readonly iban: string
  readonly from: number
  readonly to: number
}

/**
 * `findIbans` finds the IBANs in a text in groups, between brackets or beside words, even when copying has joined
 * these with one. A word of hexadecimal digits is an id, unless all of it is an IBAN.
 */
export const findIbans = (text: string): readonly PlacedIban[] => [...ibansIn(text)]

/** `findIban` finds the first of them; null when there is none. */
export const findIban = (text: string): PlacedIban | null => ibansIn(text).next().value ?? null

function* ibansIn(text: string): Generator<PlacedIban, undefined> {
  let end = 0
  for (const { index: from } of text.matchAll(/[a-z]{2}[ .\-_]?(?=\d)/gi)) {
    const length = ibanLengths.get(text.slice(from, from + 2).toLowerCase())
    if (length === undefined || from < end) continue
    const written = patterns.get(length)?.exec(text.slice(from, from + length * 4))?.[0]
    const iban = written?.toLowerCase().replace(/[^a-z0-9]/g, '')
    if (!written || !iban || !isIban(iban)) continue
    const to = from + written.length
    if (isInId(text, from, to)) continue
    end = to
    yield { iban, from, to }
  }
}

/** `joinIbanLines` puts an IBAN that was wrapped over several lines into one. */
export const joinIbanLines = (text: string): string =>
  findIbans(text).reduceRight(
    (joined, { from, to }) =>
      joined.slice(0, from) + text.slice(from, to).replace(lineBreak, ' ') + joined.slice(to),
    text,
  )

const lineBreak = new RegExp(wrapped, 'g')

/**
 * These characters may separate the characters of an IBAN, also in a form that was encoded as an address;
 * several dots leave characters out.
 */
const between = `(?:[ \\t\\-_/+·]{1,3}|\\.|${wrapped})?`

const patterns: ReadonlyMap<number, RegExp> = new Map(
  [...new Set(ibanLengths.values())].map((length) => [
    length,
    new RegExp(`^[a-z0-9](?:${between}[a-z0-9]){${length - 1}}`, 'i'),
  ]),
)

/** The longest id has this many characters, and a host with the `@` before it (RFC 5321 §4.5.3.1). */
const [longestId, longestHost] = [66, 256] as const
const hostAtEnd = /@[a-z0-9.-]*$/i

function isInId(text: string, from: number, to: number): boolean {
  const [before] = /[a-z0-9-]*$/i.exec(text.slice(Math.max(0, from - longestId), from)) ?? ['']
  const [after] = /^[a-z0-9-]*/i.exec(text.slice(to, to + longestId)) ?? ['']
  // Letters of an e-mail address may be hexadecimal digits too.
  if (
    text.charAt(to + after.length) === '@' ||
    hostAtEnd.test(text.slice(Math.max(0, from - longestHost), from))
  )
    return false
  const written = text.slice(from, to)
  // An IBAN over two lines may begin in the id that ends one, and end in the id that begins the next.
  if (/\s/.test(written)) {
    const [first] = /^[a-z0-9-]*/i.exec(written) ?? ['']
    const [last] = /[a-z0-9-]*$/i.exec(written) ?? ['']
    return isWholeId(before + first) || isWholeId(last + after)
  }
  return before + after !== '' && /^(?:0x)?[0-9a-f-]+$/i.test(before + written + after)
}

const isWholeId = (text: string): boolean =>
  findWholeIds(text).some(({ from, to }) => from === 0 && to === text.length)
