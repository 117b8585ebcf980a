declare const cleaned: unique symbol

/**
 * A `CleanText` has nothing that copying, typography or transport added. Only `cleanText` makes one, and lookups accept no
 * other text.
 */
export type CleanText = string & { readonly [cleaned]: true }

/**
 * `cleanText` prepares typed or pasted text for a lookup: without invisible characters, with plain signs and digits, and
 * decoded from an address, a mail or a page. Line breaks stay. PostgreSQL takes no NUL, see `textParameter`.
 */
export const cleanText = (given: string): CleanText =>
  plainText(decoded(given)).replaceAll('\0', '\ufffd').trim() as CleanText

/** Names are compared in this form, stored and typed alike: clean, in lower case, with single spaces. */
export const nameKey = (name: string): string => cleanText(name).toLowerCase().replace(/\s+/g, ' ')

/** `plainText` does the same for stored text, without decoding. Signs without a plain form stay. */
export function plainText(text: string): string {
  if (plain.test(text)) return text
  return text
    .toWellFormed()
    .replace(lineEnd, '\n')
    .replace(invisible, '')
    .replace(/[´ˈ]/g, "'")
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(otherSigns, (sign) => plainSigns.get(sign) ?? '-')
    .replace(/(?<=[\da-z])ー(?=[\da-z])/gi, '-')
    .replace(/(?<![\p{L}\p{N}])0[×хХχΧ✕✖](?=[\da-f]{4})/giu, '0x')
}

/**
 * `withoutListMarks` removes the signs that lists, tables, chats and quoted mails put around a text: points, ticks, `>`, `**`.
 * `isMore`: a number at the beginning, such as `1.`, belongs to the text.
 */
export function withoutListMarks(given: string, isMore: (text: string) => boolean = () => false): string {
  const text = given.trim()
  const bare = text.replace(emphasis, '$2').replace(tableRow, '$1').replace(listMark, '')
  if (bare !== text) return withoutListMarks(bare, isMore)
  const rest = text.replace(listNumber, '')
  return rest === text || isMore(text) ? text : withoutListMarks(rest, () => true)
}

/** Several `*` or `•` mask the beginning of a number. A box may be ticked. */
const listMark =
  /^(?:[-*•·‣◦▪●]\s+(?![*•])|[•·‣◦▪●](?=\p{L})|[-=]{0,2}>\s*|[→➔➜►✓✔☐☑✅]\s*|\[[ x]?\]\s*|\|\s+)/iu
const listNumber = /^\d{1,3}(?:\.\s+|\)\s*)(?=[^\s(])/
const emphasis = /^(\*{1,3}|_{1,3}|~~)([^*~]+)\1$/
const tableRow = /^\|(.*)\|$/s

/**
 * `plainLetters` writes the letters of a `plainText` as keyboards without accents do, in lower case: `ñ` as `n`, `Ł` as `l`,
 * `ß` as `ss`.
 */
export const plainLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(ownLetters, (letter) => letterForms.get(letter) ?? letter)

/** Unicode does not take these letters apart. */
const letterForms: ReadonlyMap<string, string> = new Map(
  'łl øo đd ðd ħh ŧt ŋn ıi ĸk əe ɓb ɗd ƙk ƴy ςσ ßss æae œoe þth'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
)
const ownLetters = new RegExp(`[${[...letterForms.keys()].join('')}]`, 'g')

/** `longLetters` writes these letters of a `plainText` with two, as passports and addresses do: `ü` as `ue`. Others stay. */
export const longLetters = (text: string): string =>
  text.normalize('NFC').replace(/[äöüåøđ]/gi, (letter) => longForms.get(letter.toLowerCase()) ?? letter)

const longForms: ReadonlyMap<string, string> = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['å', 'aa'],
  ['ø', 'oe'],
  ['đ', 'dj'],
])

/** A text of these characters has no other form. */
const plain = /^[\t\n\r\x20-\x7e]*$/

/** Other systems use these line ends. Carriage returns are left to the caller. */
const lineEnd = /[\v\f\x85\u2028\u2029]/g

/** The sign of an object that could not be copied is invisible too. NUL is left to `cleanText` and `textParameter`. */
const invisible = /(?![\t\n\r\0])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\ufffc]/gu

const plainSigns: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '"': '“”„‟«»〝〞',
    "'": '‘’‚‛′‵ʹʻʼʽ',
    ' ': '\u2800\u1680',
    '.': '。٫',
    ',': '、،٬',
    ':': '∶꞉',
    ';': '؛',
    '/': '⁄∕',
  }).flatMap(([sign, others]) => [...others].map((other) => [other, sign])),
)

/** Dashes are replaced too. Icons of a font are no text. */
const otherSigns = /[\p{Pd}\u2212\u2043\u02d7\u2796“”„‟«»〝〞‘’‚‛′‵ʹʻʼʽ\u2800\u1680。٫、،٬∶꞉؛⁄∕]/gu

/** Each script has its ten digits in a row. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  if (code < 128) return digit
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return String((code - first) % 10)
}

/** A text may have been encoded this many times. */
const mostTimes = 3

function decoded(given: string): string {
  let text = given
  for (let times = 0; times < mostTimes; times++) {
    const next = fromMail(fromPage(fromAddress(text)))
    if (next === text) return text
    text = next
  }
  return text
}

/** A single `%` stays unchanged. */
const fromAddress = (text: string): string =>
  text.replace(guardedLink, (_all, link: string) => fromGuard(link)).replace(/(?:%[\da-f]{2})+/gi, fromBytes)

/** A mail gateway of Proofpoint replaces links by its own, with the former in codes of its own (version 2). */
const guardedLink =
  /https?:\/\/urldefense(?:\.proofpoint)?\.com\/v2\/url\?u=([^&\s]{1,2000})(?:&[^\s<>"]{0,2000})?/gi

const fromGuard = (link: string): string =>
  link.replaceAll('_', '/').replace(/(?:-[2-9A-F][\dA-F])+/g, (codes) => {
    const text = fromBytes(codes.replaceAll('-', '%'))
    return text.startsWith('%') ? codes : text
  })

/** HTML and JSON each have their own escapes. */
const fromPage = (text: string): string =>
  text
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (all, hexadecimal, decimal) =>
      characterOf(hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal), all),
    )
    .replace(/&(\w{2,8});/g, (all, name) => entities.get(name) ?? all)
    .replace(/\\u([\da-f]{4})/gi, (all, hexadecimal) => characterOf(Number.parseInt(hexadecimal, 16), all))

const characterOf = (code: number, otherwise: string): string =>
  code <= 0x10ffff ? String.fromCodePoint(code) : otherwise

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    apos: "'",
    commat: '@',
    dash: '-',
    euro: '€',
    gt: '>',
    hyphen: '-',
    lt: '<',
    mdash: '-',
    minus: '-',
    nbsp: ' ',
    ndash: '-',
    period: '.',
    pound: '£',
    quot: '"',
    rsquo: "'",
    shy: '',
    thinsp: ' ',
    zwj: '',
    zwnj: '',
  }),
)

/**
 * Quoted-printable is the encoding of mails. In `?id=2046967a…` a value follows the `=`, not a code. Either every `=` of a
 * text is a code, or none is.
 */
function fromMail(given: string): string {
  const text = given
    .replace(betweenWords, '')
    .replace(encodedWord, (all, charset: string, encoding: string, words: string) =>
      /q/i.test(encoding) ? fromQuoted(words.replaceAll('_', ' ')) : fromBase64(words, charset, all),
    )
  const signs = text.match(/=/g)?.length ?? 0
  if (signs === 0 || valueBehind.test(text) || isNumber(text)) return text
  const encoded = text.match(/=[\dA-Fa-f]{2}|=[ \t]*(?:\r?\n|$)/g) ?? []
  const isCertain = encoded.length > 1 || /=3D|=[ \t]*\r?\n|=40[\w-]+\.|[\da-f]=2D[\da-f]/i.test(text)
  if (encoded.length !== signs || !isCertain) return text
  return fromQuoted(text.replace(/=[ \t]*(?:\r?\n|$)/g, ''))
}

/** A number between two `=` begins with no code. At the end of a line, `=20` is one. */
const isNumber = (text: string): boolean => !/\p{L}/u.test(text) && /=\d\d(?!\s|$)/.test(text)

const fromQuoted = (text: string): string => text.replace(/(?:=[\dA-Fa-f]{2})+/g, fromBytes)

/** Mail headers use this encoding (RFC 2047). The blanks between two encoded words are not part of the text (§6.2). */
const encodedWord = /=\?([\w-]{1,20})\?([qb])\?([^?\s]{1,200})\?=/gi
const betweenWords = /(?<=\?[qb]\?[^?\s]{1,200}\?=)\s{1,9}(?==\?[\w-]{1,20}\?[qb]\?)/gi

function fromBase64(words: string, charset: string, otherwise: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(
      Uint8Array.from(atob(words), (one) => one.charCodeAt(0)),
    )
  } catch {
    return otherwise
  }
}

/** A value follows in a query of an address, before a whole id, or after the mark of an account number. */
const valueBehind = /^=[a-f]{2}\d\d|[?&][\w.-]+=(?!3D)|=(?!3D)(?:0x)?[\da-f]{8}(?:-[\da-f]{4}|[\da-f]{20})/i

/** Bytes that are no text stay unchanged. */
function fromBytes(bytes: string): string {
  try {
    return decodeURIComponent(bytes.replaceAll('=', '%'))
  } catch {
    return bytes
  }
}

/**
 * `visibleText` prepares a foreign text for a page, a mail or a reply. It removes the invisible marks that change the text
 * direction. It is null when nothing visible is left. Stored and compared texts keep the marks.
 */
export function visibleText(text: string | null): string | null {
  if (text === null) return null
  const shown = text.replace(direction, '')
  return blank.test(shown) ? null : shown
}

/** `oneLine` prepares a foreign text for use within a line: line breaks become spaces. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/**
 * `isolated` puts a foreign text between other words in one line. Letters written from the right do not affect the words
 * beside it.
 */
export function isolated(text: string): string {
  const shown = visibleText(oneLine(text)) ?? nothingToSee
  return fromRight.test(shown) ? `\u2068${shown}\u2069` : shown
}

/** `isVisibleName` is true for a name that has visible characters and no mark that changes the direction. */
export const isVisibleName = (text: string): boolean => visibleText(text) === text

/** The text replaces a name without visible characters. */
export const nothingToSee = '(nothing to see)'

const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Unicode counts fillers and the braille blank as letters and signs. */
const blank = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]*$/u
const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
