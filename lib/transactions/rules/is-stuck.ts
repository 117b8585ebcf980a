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

/** `stuckAfterMs` looks up the usual stays here. */
export type UsualStays = ReadonlyMap<string, UsualStay>

export const toUsualStays = (stays: readonly UsualStay[]): UsualStays =>
  new Map(stays.map((stay) => [keyOf(stay), { ...stay, ms: Math.max(stay.ms, leastStuckMs) }]))

/**
 * A transaction is stuck after this many ms at its step: by its currency and chain, by its currency, or by its step alone.
 */
export const stuckAfterMs = (usual: UsualStays, { direction, step, currencyFiat, chain }: Like): number => {
  const at = { direction: direction ?? '', step: step ?? '' }
  const found =
    usual.get(keyOf({ ...at, currencyFiat: currencyFiat ?? '', chain: chain ?? '' })) ??
    usual.get(keyOf({ ...at, currencyFiat: currencyFiat ?? '', chain: null })) ??
    usual.get(keyOf({ ...at, currencyFiat: null, chain: null }))
  return found?.ms ?? leastStuckMs
}

/**
 * A transaction is stuck when another step should follow and it has been at this one for longer than 99 of 100
 * similar ones, and for at least 15 minutes. Times in ms.
 */
export const isStuck = (like: Like, since: number, now: number, usual: UsualStays): boolean =>
  isMoving(like.step) && now - since > stuckAfterMs(usual, like)

const keyOf = ({ direction, step, currencyFiat, chain }: Omit<UsualStay, 'ms'>) =>
  JSON.stringify([direction, step, currencyFiat, chain])
