import { type Direction, directions, isStep } from '#lib/domain/delivery/steps.ts'
import { type Decimal, parseDecimal } from '#lib/domain/text/decimal.ts'
import { isUuid } from '#lib/domain/text/uuid.ts'
import type { EventFlag } from '#lib/domain/timeline/subject-event.ts'

/** What a list of transactions can be filtered by beside its fields: that one is stuck, and the doubts about it. */
export const filterFlags = [
  'stuck',
  'conflict',
  'order-unsure',
  'repeat-unsure',
  'late',
] as const satisfies readonly ('stuck' | EventFlag)[]
export type FilterFlag = (typeof filterFlags)[number]

/** How far back "the last …" reaches, in ms, by its name in an address. */
export const timePresets = {
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
  '30d': 30 * 24 * 3_600_000,
} as const
export type TimePreset = keyof typeof timePresets

/** What the filters are called in an address. */
export const filterNames = [
  'direction',
  'step',
  'reason',
  'currency',
  'chain',
  'min',
  'max',
  'since',
  'from',
  'to',
  'user',
  'flags',
] as const
export type FilterName = (typeof filterNames)[number]

/** The filters as an address has them. */
export type FilterTexts = { readonly [Name in FilterName]?: string | null | undefined }

/** What transactions must be like. All that is given must hold. Times in ms since 1970. */
export interface TransactionMatch {
  readonly direction?: Direction | undefined
  readonly step?: string | undefined
  readonly reason?: string | undefined
  /** In capitals: of what came in or of what goes out. */
  readonly currency?: string | undefined
  /** In small letters. */
  readonly chain?: string | undefined
  /** The least and the largest amount: of coins where `currency` is one, otherwise of fiat money. */
  readonly amountFrom?: Decimal | undefined
  readonly amountTo?: Decimal | undefined
  readonly startedFrom?: number | undefined
  /** Not itself among them. */
  readonly startedTo?: number | undefined
  readonly userUuid?: string | undefined
  readonly flags?: readonly FilterFlag[] | undefined
}

/** A filter that cannot be understood, and what to do about it. */
export interface WrongFilter {
  readonly name: FilterName
  readonly text: string
  readonly why: string
}

export interface FilterReading {
  readonly match: TransactionMatch
  /** With any, nothing should be listed: a list that ignores a filter looks as if it were filtered. */
  readonly wrong: readonly WrongFilter[]
}

/** Reads the filters of an address; `now` in ms, for those that speak of the last hours or days. */
export function readFilters(texts: FilterTexts, now: number): FilterReading {
  const wrong: WrongFilter[] = []
  const read = <T>(name: FilterName, reader: (text: string) => T | Wrong): T | undefined => {
    const text = texts[name]
    if (text === undefined || text === null) return undefined
    const value = reader(text.trim())
    if (!(value instanceof Wrong)) return value
    wrong.push({ name, text, why: value.why })
    return undefined
  }
  const since = read('since', readPreset)
  const from = read('from', readTime)
  const begins = [since === undefined ? undefined : now - since, from].filter((time) => time !== undefined)
  const match = {
    direction: read('direction', readDirection),
    step: read('step', readWord),
    reason: read('reason', readWord),
    currency: read('currency', upper),
    chain: read('chain', lower),
    amountFrom: read('min', readAmount),
    amountTo: read('max', readAmount),
    startedFrom: begins.length > 0 ? Math.max(...begins) : undefined,
    startedTo: read('to', readTime),
    userUuid: read('user', readUser),
    flags: read('flags', readFlags),
  }
  const { amountFrom, amountTo, startedTo } = match
  if (amountFrom !== undefined && amountTo !== undefined && Number(amountFrom) > Number(amountTo))
    wrong.push({ name: 'max', text: amountTo, why: `It is less than the least amount, ${amountFrom}.` })
  if (from !== undefined && startedTo !== undefined && from >= startedTo)
    wrong.push({ name: 'to', text: texts.to ?? '', why: 'It is not after the time from which on is listed.' })
  return { match, wrong }
}

/** Whether anything is asked for. */
export const isFiltered = (match: TransactionMatch): boolean => partsOf(match).length > 0

/** The step that a reason belongs to by its name, as `ON_HOLD_KYC` does; null for any other. §6.1 */
export function stepOfReason(reason: string): string | null {
  if (reason === 'PROCESS_FAILED') return 'FAILED'
  if (reason === 'PROCESS_COMPLETED') return 'SUCCESS'
  if (isStep(reason)) return reason
  return reason.startsWith('ON_HOLD_') ? 'ON_HOLD' : null
}

/** What is set and dropped as one: its names in an address, and its fields. A flag is one by itself, `flags:stuck`. */
const parts = {
  direction: [['direction'], ['direction']],
  step: [['step'], ['step']],
  reason: [['reason'], ['reason']],
  currency: [['currency'], ['currency']],
  chain: [['chain'], ['chain']],
  amount: [
    ['min', 'max'],
    ['amountFrom', 'amountTo'],
  ],
  time: [
    ['since', 'from', 'to'],
    ['startedFrom', 'startedTo'],
  ],
  user: [['user'], ['userUuid']],
} as const satisfies Record<string, readonly [readonly FilterName[], readonly (keyof TransactionMatch)[]]>

export type FilterPart = keyof typeof parts | `flags:${FilterFlag}`

/** A filter that is given, and all the others without it. */
export interface GivenPart<Filters> {
  readonly part: FilterPart
  readonly rest: Filters
}

/** Each filter that is given, by which a list is made longer when it is dropped. */
export function partsOf(match: TransactionMatch): GivenPart<TransactionMatch>[] {
  const given = partNames.flatMap((part): GivenPart<TransactionMatch>[] => {
    const [, fields] = parts[part]
    if (fields.every((field) => match[field] === undefined)) return []
    return [{ part, rest: { ...match, ...Object.fromEntries(fields.map((field) => [field, undefined])) } }]
  })
  const flags = match.flags ?? []
  const flagged = flags.map((flag): GivenPart<TransactionMatch> => {
    const others = flags.filter((each) => each !== flag)
    return { part: `flags:${flag}`, rest: { ...match, flags: others.length > 0 ? others : undefined } }
  })
  return [...given, ...flagged]
}

/** The same of the texts of an address: what to write there to drop each. */
export function textPartsOf(texts: FilterTexts): GivenPart<FilterTexts>[] {
  const given = partNames.flatMap((part): GivenPart<FilterTexts>[] => {
    const [names] = parts[part]
    return names.some((name) => isGiven(texts[name])) ? [{ part, rest: withoutNames(texts, names) }] : []
  })
  const flags = flagsIn(texts.flags)
  const flagged = flags.map((flag): GivenPart<FilterTexts> => {
    const others = flags.filter((each) => each !== flag)
    return { part: `flags:${flag}`, rest: { ...texts, flags: others.length > 0 ? others.join(',') : null } }
  })
  return [...given, ...flagged]
}

/** All filters dropped. */
export const noFilters = {
  direction: null,
  step: null,
  reason: null,
  currency: null,
  chain: null,
  min: null,
  max: null,
  since: null,
  from: null,
  to: null,
  user: null,
  flags: null,
} as const satisfies Record<FilterName, null>

/** The flags of an address that are known. */
export const flagsIn = (text: string | null | undefined): FilterFlag[] =>
  filterFlags.filter((flag) => (text ?? '').split(',').includes(flag))

const partNames = Object.keys(parts) as (keyof typeof parts)[]

const isGiven = (text: string | null | undefined) => text !== null && text !== undefined

const withoutNames = (texts: FilterTexts, names: readonly FilterName[]): FilterTexts => ({
  ...texts,
  ...Object.fromEntries(names.map((name) => [name, null])),
})

class Wrong {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

const readDirection = (text: string) =>
  directions.find((direction) => direction === text) ??
  new Wrong(`It is neither of ${directions.join(' and ')}.`)

const readWord = (text: string) =>
  /^[^\p{Cc}]{1,100}$/u.test(text) ? text : new Wrong('It is empty, longer than 100 characters, or no text.')

const upper = (text: string) => changed(readWord(text), (word) => word.toUpperCase())
const lower = (text: string) => changed(readWord(text), (word) => word.toLowerCase())

const changed = (word: string | Wrong, change: (word: string) => string) =>
  word instanceof Wrong ? word : change(word)

/** Plain digits: a sign between thousands is read differently in different countries. */
function readAmount(text: string): Decimal | Wrong {
  const digits = /^\d{1,30}(\.\d{1,18})?$/.test(text) ? parseDecimal(text.replace(/^0+(?=\d)/, '')) : null
  return digits ?? new Wrong('Write an amount in digits, with a point before the cents: 1250.50.')
}

const readPreset = (text: string) =>
  Object.entries(timePresets).find(([name]) => name === text)?.[1] ??
  new Wrong(`It is none of ${Object.keys(timePresets).join(', ')}.`)

/** A minute or a finer time in UTC, or the beginning of a day. */
function readTime(text: string): number | Wrong {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)
  const time = isTime ? Date.parse(text) : Number.NaN
  // 30 February is read as a day of March.
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
  return isDay && time >= 0
    ? time
    : new Wrong('Write a time in UTC, such as 2026-11-20 or 2026-11-20T09:30Z.')
}

const readUser = (text: string) =>
  isUuid(text)
    ? text.toLowerCase()
    : new Wrong('It is no id of a person. Find the person by name or e-mail, then choose them.')

function readFlags(text: string): readonly FilterFlag[] | Wrong {
  const known = flagsIn(text)
  const asked = new Set(text.split(','))
  return asked.size === known.length ? known : new Wrong(`Flags are some of ${filterFlags.join(', ')}.`)
}
