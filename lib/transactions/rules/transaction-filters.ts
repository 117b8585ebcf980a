import { type Direction, isStep } from '#lib/deliveries/rules/steps.ts'
import type { Decimal } from '#lib/platform/rules/decimal.ts'
import type { EventFlag } from '#lib/timeline/rules/subject-event.ts'

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
interface GivenPart<Filters> {
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

/** This name and those that are set and dropped with it. */
export const namesWith = (name: FilterName): readonly FilterName[] =>
  partNames.map((part): readonly FilterName[] => parts[part][0]).find((names) => names.includes(name)) ?? [
    name,
  ]

/** The orders in which transactions are listed: newest start, latest move, or largest fiat amount first. */
export const transactionSorts = ['started', 'moved', 'amount'] as const
export type TransactionSort = (typeof transactionSorts)[number]
