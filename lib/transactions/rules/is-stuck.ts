/** ASSUMED: nothing is stuck that came to its step within this time, in ms, however quick its like usually is. */
export const leastStuckMs = 15 * 60_000

/** The steps that another should follow. */
export const movingSteps = [
  'PENDING',
  'IN_PROGRESS',
  'CRYPTO_TRANSFER_ISSUED',
  'FIAT_TRANSFER_ISSUED',
] as const

const moving: ReadonlySet<string> = new Set(movingSteps)

/** True when another step should follow, and what is said of this one changes with the time. */
export const isMoving = (step: string | null): boolean => moving.has(step ?? '')

/** What transactions at a step are alike by, where it is known: the bank's side has its pace, and so has the chain. */
export interface Like {
  readonly direction: string | null
  readonly step: string | null
  readonly currencyFiat: string | null
  readonly chain: string | null
}

/** How long 99 of 100 of a kind stayed at a step before they went on, in ms. */
export interface UsualStay {
  readonly direction: string
  readonly step: string
  /** Null: of any currency. */
  readonly currencyFiat: string | null
  /** Null: on any chain. */
  readonly chain: string | null
  readonly ms: number
}

/** The usual stays, to be looked up by `stuckAfterMs`. */
export type UsualStays = ReadonlyMap<string, UsualStay>

export const toUsualStays = (stays: readonly UsualStay[]): UsualStays =>
  new Map(stays.map((stay) => [keyOf(stay), { ...stay, ms: Math.max(stay.ms, leastStuckMs) }]))

/** After how many ms at its step a transaction is stuck: by those of its currency and chain, of its currency, or of its step. */
export const stuckAfterMs = (usual: UsualStays, { direction, step, currencyFiat, chain }: Like): number => {
  const at = { direction: direction ?? '', step: step ?? '' }
  const found =
    usual.get(keyOf({ ...at, currencyFiat: currencyFiat ?? '', chain: chain ?? '' })) ??
    usual.get(keyOf({ ...at, currencyFiat: currencyFiat ?? '', chain: null })) ??
    usual.get(keyOf({ ...at, currencyFiat: null, chain: null }))
  return found?.ms ?? leastStuckMs
}

/**
 * Whether it stands, since then, at a step that another should follow, and for longer than 99 of 100 of its like did before
 * they went on, at least 15 minutes. Times in ms.
 */
export const isStuck = (like: Like, since: number, now: number, usual: UsualStays): boolean =>
  isMoving(like.step) && now - since > stuckAfterMs(usual, like)

const keyOf = ({ direction, step, currencyFiat, chain }: Omit<UsualStay, 'ms'>) =>
  JSON.stringify([direction, step, currencyFiat, chain])
