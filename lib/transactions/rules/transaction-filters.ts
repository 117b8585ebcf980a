import { type Direction, isStep } from '#lib/deliveries/rules/steps.ts'
import type { Decimal } from '#lib/platform/rules/decimal.ts'
import type { EventFlag } from '#lib/timeline/rules/subject-event.ts'

/** A list of transactions can also be filtered by these flags: stuck, and the doubts about a transaction. */
export const filterFlags = [
  'stuck',
  'conflict',
  'order-unsure',
  'repeat-unsure',
  'late',
] as const satisfies readonly ('stuck' | EventFlag)[]
export type FilterFlag = (typeof filterFlags)[number]

/** "The last …" in an address reaches back by this many ms. */
export const timePresets = {
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
  '30d': 30 * 24 * 3_600_000,
} as const
export type TimePreset = keyof typeof timePresets

/** The filters have these names in an address. */
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

/** An address contains the filters as these texts. */
export type FilterTexts = { readonly [Name in FilterName]?: string | null | undefined }

/** A transaction must match all given filters. Times are in ms since 1970. */
export interface TransactionMatch {
  readonly direction?: Direction | undefined
  readonly step?: string | undefined
  readonly reason?: string | undefined
  /** `currency` is in upper case; it matches the incoming or the outgoing amount. */
  readonly currency?: string | undefined
  /** `chain` is in lower case. */
  readonly chain?: string | undefined
  /** The range is in coins when `currency` is one, otherwise in fiat money. */
  readonly amountFrom?: Decimal | undefined
  readonly amountTo?: Decimal | undefined
  readonly startedFrom?: number | undefined
  /** The bound itself is excluded. */
  readonly startedTo?: number | undefined
  readonly userUuid?: string | undefined
  readonly flags?: readonly FilterFlag[] | undefined
}

export const isFiltered = (match: TransactionMatch): boolean => partsOf(match).length > 0

/** The name of a reason may contain its step, as in `ON_HOLD_KYC`; null for any other. §6.1 */
export function stepOfReason(reason: string): string | null {
  if (reason === 'PROCESS_FAILED') return 'FAILED'
  if (reason === 'PROCESS_COMPLETED') return 'SUCCESS'
  if (isStep(reason)) return reason
  return reason.startsWith('ON_HOLD_') ? 'ON_HOLD' : null
}

/**
 * Each part is set and removed as a whole: its names in an address, and its fields. A flag is a part of its
 * own, `flags:stuck`.
 */
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

/** A set filter comes with all the others without it. */
interface GivenPart<Filters> {
  readonly part: FilterPart
  readonly rest: Filters
}

/** Each set filter is returned with the match that remains when it is removed. */
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

/** Each set filter is returned with the texts of the address that remain when it is removed. */
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

/** All filters are removed. */
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

/** Unknown flags of an address are left out. */
export const flagsIn = (text: string | null | undefined): FilterFlag[] =>
  filterFlags.filter((flag) => (text ?? '').split(',').includes(flag))

const partNames = Object.keys(parts) as (keyof typeof parts)[]

const isGiven = (text: string | null | undefined) => text !== null && text !== undefined

const withoutNames = (texts: FilterTexts, names: readonly FilterName[]): FilterTexts => ({
  ...texts,
  ...Object.fromEntries(names.map((name) => [name, null])),
})

/** These names are set and removed together. */
export const namesWith = (name: FilterName): readonly FilterName[] =>
  partNames.map((part): readonly FilterName[] => parts[part][0]).find((names) => names.includes(name)) ?? [
    name,
  ]

/** Transactions are sorted by the newest start, the latest move, or the largest fiat amount. */
export const transactionSorts = ['started', 'moved', 'amount'] as const
export type TransactionSort = (typeof transactionSorts)[number]
