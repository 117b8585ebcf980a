/** ASSUMED: nothing is stuck within this time after its step began, in ms, however fast similar transactions usually are. */
export const leastStuckMs = 15 * 60_000

/** Another step should follow each of these. */
export const movingSteps = [
  'PENDING',
  'IN_PROGRESS',
  'CRYPTO_TRANSFER_ISSUED',
  'FIAT_TRANSFER_ISSUED',
] as const

const moving: ReadonlySet<string> = new Set(movingSteps)

/** True when another step should follow, so that the status of this one depends on the time. */
export const isMoving = (step: string | null): boolean => moving.has(step ?? '')

/**
 * Transactions at a step are similar when these known values are equal: the bank and the chain each have their own speed.
 */
export interface Like {
  readonly direction: string | null
  readonly step: string | null
  readonly currencyFiat: string | null
  readonly chain: string | null
}

/** 99 of 100 transactions of a kind left their step within this time, in ms. */
export interface UsualStay {
  readonly direction: string
  readonly step: string
  /** Null means any currency. */
  readonly currencyFiat: string | null
  /** Null means any chain. */
  readonly chain: string | null
  readonly ms: number
}

/** The key of a usual stay is `keyOf` the values that its transactions share. */
export type UsualStays = ReadonlyMap<string, UsualStay>

export const toUsualStays = (stays: readonly UsualStay[]): UsualStays =>
  new Map(
    stays.map((stay) => {
      const { direction, step, currencyFiat, chain } = stay
      const known = [direction, step, currencyFiat, chain].filter((value) => value !== null)
      return [keyOf(known), { ...stay, ms: Math.max(stay.ms, leastStuckMs) }]
    }),
  )

/** The first of these that was learned decides: by currency and chain, by currency, or by the step alone. */
const decidedBy = [
  ['direction', 'step', 'currencyFiat', 'chain'],
  ['direction', 'step', 'currencyFiat'],
  ['direction', 'step'],
] as const satisfies readonly (keyof Like)[][]

const columnOf = {
  direction: 'direction',
  step: 'step',
  currencyFiat: 'currency_fiat',
  chain: 'chain',
} as const satisfies Record<keyof Like, string>

/** A transaction is stuck after this many ms at its step. */
export function stuckAfterMs(usual: UsualStays, like: Like): number {
  const found = decidedBy.map((names) => usual.get(keyOf(names.map((name) => like[name]))))
  return found.find((stay) => stay !== undefined)?.ms ?? leastStuckMs
}

/** The number of values comes first, so that an unknown currency differs from any currency. */
const keyOf = (values: readonly (string | null)[]) =>
  [values.length, ...values.map((value) => value ?? '')].join('\u001f')

/**
 * A transaction is stuck when another step should follow and it has been at this one for longer than 99 of 100
 * similar ones, and for at least 15 minutes. Times in ms.
 */
export const isStuck = (like: Like, since: number, now: number, usual: UsualStays): boolean =>
  isMoving(like.step) && now - since > stuckAfterMs(usual, like)

/**
 * `isStuckSql` is the rule of `isStuck` as SQL for a row of `transaction`.
 * @param stays the parameter that holds `staysParameter(usual)`
 * @param since the expression of the time since when the transaction has been at its step
 */
export function isStuckSql(stays: `$${number}`, since: string, now: string): string {
  const known = decidedBy.map((names) => {
    const values = names.map((name) => `COALESCE(${columnOf[name]}, '')`)
    return `(${stays}::jsonb ->> concat_ws(E'\\x1f', ${values.length}, ${values.join(', ')}))::float8`
  })
  const after = `COALESCE(${[...known, leastStuckMs].join(', ')}) * interval '1 ms'`
  return `step IN (${movingSteps.map((step) => `'${step}'`).join(', ')}) AND ${since} < ${now} - ${after}`
}

/** The parameter `stays` of `isStuckSql` holds this. */
export const staysParameter = (usual: UsualStays): string =>
  JSON.stringify(Object.fromEntries([...usual].map(([key, { ms }]) => [key, ms])))
