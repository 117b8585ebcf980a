import type { CleanText } from './pasted-text.ts'

/** A whole id of ours or of a chain is found in a text, in lower case. A bare one has no dashes, or no `0x`. */
interface WholeId {
  readonly kind: 'uuid' | 'hash' | 'wallet' | 'bare-uuid' | 'bare-hash' | 'bare-wallet'
  readonly id: string
  readonly from: number
  readonly to: number
}

/**
 * `findWholeIds` finds the whole ids of a text in order, even where copying has joined them with words: `Transaction
 * ID2046967a-…Completed`.
 */
export function findWholeIds(text: string): readonly WholeId[] {
  const found: WholeId[] = []
  for (const match of text.matchAll(wholeId)) {
    const { index: from } = match
    const [id, to] = [match[0].toLowerCase(), from + match[0].length]
    const kind = kindOf(id)
    const [before, after] = [wordBefore(text, from), wordAfter(text, to)]
    const mayBe =
      kind === 'uuid' ? [before, after].every(isNoSlip) : isBare({ kind }) || isApart(match[0], before, after)
    if (mayBe) found.push({ kind, id, from, to })
  }
  return found
}

/** A bare id may be something else, such as a number of the merchant. */
export const isBare = ({ kind }: Pick<WholeId, 'kind'>): boolean => kind.startsWith('bare-')

/** A line of a text was wrapped here. A mail that was quoted has a mark before each line. */
export const wrapped = '[ \\t]?\\r?\\n[ \\t>]{0,4}'

/** `joinIdLines` puts a uuid, a hash or a wallet that was wrapped over several lines into one. */
export const joinIdLines = (text: string): string =>
  text.replace(wrappedId, (id) => id.replace(lineBreak, ''))

const lineBreak = new RegExp(wrapped, 'g')

/** An `f` of the shape is any digit. */
const inLines = (shape: string) => [...shape].join(`(?:${wrapped})?`).replaceAll('f', '[0-9a-f]')

/** A wallet that has its line alone is not the beginning of a hash. */
const wrappedId = new RegExp(
  `(?<![0-9a-z-])(?:${inLines([8, 4, 4, 4, 12].map((count) => 'f'.repeat(count)).join('-'))}|(?!0x[0-9a-f]{40}(?![0-9a-f]))${inLines(`0x${'f'.repeat(64)}`)}|${inLines(`0x${'f'.repeat(40)}`)})(?![0-9a-z-])`,
  'gi',
)

/** `findUuid` finds the only uuid of a text, with dashes and in lower case; null for none or several. */
export function findUuid(text: CleanText): string | null {
  const uuids = findWholeIds(text).flatMap(({ kind, id }) =>
    kind === 'uuid' ? [id] : kind === 'bare-uuid' ? [id.replace(groups, '$1-$2-$3-$4-$5')] : [],
  )
  const [one, another] = new Set(uuids)
  return one !== undefined && another === undefined ? one : null
}

/** A shortened id has a beginning and an end, in lower case. */
interface ShortId {
  readonly head: string
  readonly tail: string
  readonly from: number
  readonly to: number
}

/**
 * `findShortIds` finds the ids of a text that were shortened as pages show them: `2046967a…d1329`, `0x26D0…8932`, or in
 * groups as banks do: `DE89 3704…3000`.
 */
export const findShortIds = (text: string): readonly ShortId[] =>
  [...text.matchAll(shortened)].flatMap(({ 0: found, index: from, groups }) => {
    const { inGroups, rest, head, tail, start, end } = groups ?? {}
    const [first = '', last = ''] = [inGroups ?? head ?? start, rest ?? tail ?? end].map((part) =>
      part?.toLowerCase().replaceAll(' ', ''),
    )
    // Words without a digit stand around dots in a sentence.
    return /\d/.test(first + last) ? [{ head: first, tail: last, from, to: from + found.length }] : []
  })

/** A word has a digit among its first characters, so that no word of a sentence is a group. */
const withDigit = '(?=[a-z]{0,3}\\d)[0-9a-z]'
/** An IBAN begins with its country and has the bank next. A hexadecimal id may have groups of letters. */
const groupsBefore = `[a-z]{2}\\d\\d(?= )(?: [a-z]{4})?(?: ${withDigit}{4}){0,7}(?: [0-9a-z]{1,3})?|(?:0x)?(?=[a-f]{0,3}\\d)[0-9a-f]{4}(?= )(?: [0-9a-f]{4}){0,14}(?: [0-9a-f]{1,3})?`
/** More groups end the text or a part of it: a day or an amount may follow too. */
const groupsBehind = `[0-9a-f-]{5,66}|(?:[0-9a-f]{4}|${withDigit}{1,4})(?:(?: ${withDigit}{4}){0,7}(?: \\d{1,3})?(?=$|[),;"]))?`
const leftOut = '(?:…|\\.{2,40}|•{1,40}|\\*{2,40})'

/** Any part of a hexadecimal id is taken, and of another one as many characters as pages show. */
const shortened = new RegExp(
  `(?:(?<![\\p{L}\\p{N}])|(?<!\\d)(?=0x))(?:(?<inGroups>${groupsBefore})${leftOut}(?<rest>${groupsBehind})|(?<head>(?:0x)?[0-9a-f-]{4,66})${leftOut}(?<tail>[0-9a-f-]{4,66})|(?<start>[0-9a-z_-]{8})(?:…|\\.{2,3})(?<end>[0-9a-z_-]{5}))(?![\\p{L}\\p{N}])`,
  'giu',
)

/**
 * `joinBrokenAddress` joins the two parts of an address in base 58, such as one of Solana or Tron, that a space has broken;
 * null for any other text. Each part has a digit, or a capital behind its first letter, as words have not.
 */
export function joinBrokenAddress(text: string): string | null {
  const [, ...parts] = inTwoParts.exec(text) ?? []
  const joined = parts.join('')
  return base58Address.test(joined) && parts.every((part) => /\d|.[A-Z]/.test(part)) ? joined : null
}

const inTwoParts = /^\W*([0-9a-z]{1,43}) ([0-9a-z]{1,43})\W*$/i
const base58Address = /^(?=.*[a-z])(?=.*[A-Z])(?=\D*\d\D*\d)[1-9A-HJ-NP-Za-km-z]{32,44}$/

const groups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/**
 * A whole id begins at the dashes' pattern of a uuid, or at `0x`. A bare one stands apart, or after the `\x` of PostgreSQL.
 * Digits alone may be several account numbers. An e-mail address may begin with a bare one; the number of a chain has no dot.
 */
const wholeId =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{64}|0x[0-9a-f]{40}|(?:(?<=\\x)|(?<![0-9a-z-]))(?:(?=\d*[a-f])(?=[a-f]*\d)(?:[0-9a-f]{64}|[0-9a-f]{40})|[0-9a-f]{32})(?![0-9a-z-]|[\w.+'-]{0,32}@[^\s@.,;]{1,63}\.[^\s.])/gi

const kindOf = (id: string): WholeId['kind'] =>
  id.includes('-') ? 'uuid' : (kinds.get(id.length) ?? 'bare-uuid')

const kinds: ReadonlyMap<number, WholeId['kind']> = new Map([
  [66, 'hash'],
  [42, 'wallet'],
  [64, 'bare-hash'],
  [40, 'bare-wallet'],
])

/** These letters and digits are next to the id. No id is longer than the searched part. */
const wordBefore = (text: string, at: number) =>
  /[\p{L}\p{N}]*$/u.exec(text.slice(Math.max(0, at - longestWord), at))?.[0] ?? ''
const wordAfter = (text: string, at: number) =>
  /^[\p{L}\p{N}]*/u.exec(text.slice(at, at + longestWord))?.[0] ?? ''
const longestWord = 40

/** One extra digit is a typing error, which is reported as one. */
const isNoSlip = (word: string) => !/^[0-9a-f]$/i.test(word)

/**
 * More digits of the same kind may make the id a part of something longer. A word has other letters, or begins with a
 * capital.
 */
function isApart(id: string, before: string, after: string): boolean {
  const isPlain = id === id.toLowerCase()
  const isWord = !/^[0-9a-f]+$/i.test(after) || (isPlain && /^[A-F]\p{L}/u.test(after))
  return !/\d$/.test(before) && (after === '' || isWord)
}
