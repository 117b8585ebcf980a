import { dashed, type Probe } from './probes.ts'

/** A slip is one error in a typed id, with its position in the correct id. */
export interface Slip {
  readonly kind: 'wrong' | 'missing' | 'too-many' | 'swapped'
  readonly at: number
}

/** One character may be wrong in an id of at least this length; shorter ids would be similar to too many others. */
const shortest = 7

/** The longest id with one character too many has this length. */
const longest = 67

/** These letters are read or typed for a digit. */
const looksLike: ReadonlyMap<string, string> = new Map(
  Object.entries({ o: '0', i: '1', l: '1', s: '5', z: '2' }),
)

/** Letters are replaced by the digits that they look like; null when there are none, or when the result is no id. */
export function withDigits(typed: string): string | null {
  if (typed.length > longest) return null
  const corrected = typed.replace(/^0x|[oilsz]/g, (letter) => looksLike.get(letter) ?? letter)
  if (corrected === typed || !/^(?:0x)?[0-9a-f-]+$/.test(corrected) || corrected.length < shortest)
    return null
  return /^[0-9a-f]{32}$/.test(corrected) ? dashed(corrected) : corrected
}

/** The typed beginning of an id is returned when it is long enough to look for similar ids; null otherwise. */
export function nearable(probes: readonly Probe[]): string | null {
  const typed = probes.find(({ prefix, suffix }) => prefix !== null && suffix === null)?.prefix ?? null
  return typed !== null && isNearable(typed) && idLike.test(typed) ? typed : null
}

/** The typed end of an id is returned when it is long enough. Written backwards, an end is a beginning. */
export function nearableEnding(probes: readonly Probe[]): string | null {
  const typed = probes.find(({ prefix, suffix }) => prefix === null && suffix !== null)?.suffix ?? null
  return typed !== null && isNearable(typed) && /^[0-9a-f-]+$/.test(typed) && !isWhole(typed) ? typed : null
}

const isNearable = (typed: string) =>
  typed.length <= longest && typed.replace(/^0x|-/g, '').length >= shortest

/** Exactly one slip may be between the typed text and the end of an id; null otherwise. */
export function slipAtEnd(typed: string, value: string): Slip | null {
  const slip = slipBetween(backwards(typed), backwards(value))
  if (!slip) return null
  const length = { wrong: 1, missing: 1, 'too-many': 0, swapped: 2 }[slip.kind]
  return { ...slip, at: value.length - slip.at - length }
}

export const backwards = (text: string): string => [...text].reverse().join('')

const idLike = /^(?:0x)?[0-9a-f-]+$/

/** An id that differs by one character has one correct half, which is searched. */
export function halvesOf(typed: string): readonly Probe[] {
  const middle = Math.max(typed.startsWith('0x') ? 6 : 4, Math.floor(typed.length / 2))
  const first = { prefix: typed.slice(0, middle), suffix: null, exact: false }
  return isWhole(typed) ? [first, { prefix: null, suffix: typed.slice(middle + 1), exact: false }] : [first]
}

/** The beginning may be one of these when its first half contains one slip. */
export function meantBeginnings(typed: string): readonly string[] {
  if (isWhole(typed)) return []
  const from = typed.startsWith('0x') ? 2 : 0
  const until = Math.max(from + 4, Math.floor(typed.length / 2))
  return oneSlipAway(typed, '0123456789abcdef', from, until)
}

/** Slips are looked for in addresses up to this length. */
const longestEmail = 64

/** An e-mail address is mostly written with these characters; slips with others are not found. */
const inEmails = "abcdefghijklmnopqrstuvwxyz0123456789.-_+'@"

/** The address may be one of these when it contains one slip; none for a very long one. The input is in lower case. */
export function meantEmails(typed: string): readonly string[] {
  return typed.length > longestEmail ? [] : oneSlipAway(typed, inEmails, 0, typed.length + 1)
}

/** One slip at a place from `from` to before `until` turns each of these texts into the typed one. */
function oneSlipAway(typed: string, characters: string, from: number, until: number): readonly string[] {
  const found = new Set<string>()
  for (let at = from; at < until; at++) {
    const before = typed.slice(0, at)
    for (const character of characters)
      for (const rest of [at, at + 1]) found.add(before + character + typed.slice(rest))
    found.add(before + typed.slice(at + 1))
    found.add(before + (typed[at + 1] ?? '') + (typed[at] ?? '') + typed.slice(at + 2))
  }
  found.delete(typed)
  return [...found]
}

/**
 * Exactly one slip may be between the typed text and an id, or its beginning; null otherwise. `whole`: the
 * whole id was typed.
 */
export function slipBetween(typed: string, value: string, whole = isWhole(typed)): Slip | null {
  const at = [...typed].findIndex((character, index) => character !== value[index])
  if (at === -1)
    return whole && value.length === typed.length + 1 ? { kind: 'missing', at: typed.length } : null
  const fits = (typedRest: string, valueRest: string) =>
    whole ? typedRest === valueRest : valueRest.startsWith(typedRest)
  if (at < value.length && fits(typed.slice(at + 1), value.slice(at + 1))) return { kind: 'wrong', at }
  if (fits(typed.slice(at), value.slice(at + 1))) return { kind: 'missing', at }
  if (fits(typed.slice(at + 1), value.slice(at))) return { kind: 'too-many', at }
  const swapped = typed[at] === value[at + 1] && typed[at + 1] === value[at]
  return swapped && fits(typed.slice(at + 2), value.slice(at + 2)) ? { kind: 'swapped', at } : null
}

/** The text is about as long as a whole uuid, wallet or hash: a slip may add or remove one character. */
const isWhole = ({ length }: string) => [36, 42, 66].some((whole) => Math.abs(length - whole) <= 1)
