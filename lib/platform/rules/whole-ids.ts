import type { CleanText } from './pasted-text.ts'

/** A whole id of ours or of a chain is found in a text, in lower case. `bare-uuid` has no dashes. */
interface WholeId {
  readonly kind: 'uuid' | 'hash' | 'wallet' | 'bare-uuid'
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
    const mayBe = kind === 'uuid' ? [before, after].every(isNoSlip) : isApart(match[0], kind, before, after)
    if (mayBe) found.push({ kind, id, from, to })
  }
  return found
}

/** `findUuid` finds the only uuid of a text, with dashes and in lower case; null for none or several. */
export function findUuid(text: CleanText): string | null {
  const uuids = findWholeIds(text).flatMap(({ kind, id }) =>
    kind === 'uuid' ? [id] : kind === 'bare-uuid' ? [id.replace(groups, '$1-$2-$3-$4-$5')] : [],
  )
  const [one, another] = new Set(uuids)
  return one !== undefined && another === undefined ? one : null
}

const groups = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** A whole id begins at the dashes' pattern of a uuid, or at `0x`. */
const wholeId =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{64}|0x[0-9a-f]{40}|(?<![0-9a-z-])[0-9a-f]{32}(?![0-9a-z-])/gi

const kindOf = (id: string): WholeId['kind'] =>
  id.startsWith('0x') ? (id.length === 66 ? 'hash' : 'wallet') : id.includes('-') ? 'uuid' : 'bare-uuid'

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
function isApart(id: string, kind: WholeId['kind'], before: string, after: string): boolean {
  if (kind === 'bare-uuid') return true
  const isPlain = id === id.toLowerCase()
  const isWord = !/^[0-9a-f]+$/i.test(after) || (isPlain && /^[A-F]\p{L}/u.test(after))
  return !/\d$/.test(before) && (after === '' || isWord)
}
