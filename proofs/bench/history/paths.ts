import type { Direction, Step } from '../../../lib/deliveries/rules/steps.ts'

/** The state has the fields of an envelope. */
export interface State {
  readonly type: string
  readonly subType: string
  readonly status: string
}

/** A life has the states of one subject, and how many seconds it stays in each before the next. */
export interface Life {
  readonly path: readonly State[]
  readonly stays: readonly number[]
}

type Weighted = readonly (readonly [weight: number, path: readonly State[]])[]

/** A move is a step of §6.1 or §6.2, with its `data.status`. */
type Move = readonly [step: Step, status: string]

/** A path leads a transaction from its creation to its end. */
type Path = readonly Move[]

/** This share of the transactions truly reaches a state again: about 0.1 % of all events then repeat one. */
const againShare = 0.0025

export const drawTransaction = (random: RandomSource): Life => draw(random, againShare)

/** Half of these lives reach a state again. */
export const drawRepeating = (random: RandomSource): Life => draw(random, 0.5)

export function drawHeldTwice(random: RandomSource): Life {
  const type = drawDirection(random)
  return toLife(random, type, random.pick(heldTwice(type === 'fiatToCrypto' ? cryptoIssued : fiatIssued)))
}

const drawDirection = (random: RandomSource): Direction =>
  random.chance(0.5) ? 'fiatToCrypto' : 'cryptoToFiat'

function draw(random: RandomSource, share: number): Life {
  const type = drawDirection(random)
  return toLife(random, type, random.chance(share) ? random.pick(again[type]) : random.pick(usual[type]))
}

function toLife(random: RandomSource, type: Direction, moves: Path): Life {
  return {
    path: moves.map(([subType, status]) => ({ type, subType, status })),
    stays: moves.slice(1).map((to, index) => stay(random, moves[index], to)),
  }
}

const pending: Move = ['PENDING', 'PENDING']
const progress: Move = ['IN_PROGRESS', 'OUTSIDE_TRANSFER_IN_REVIEW']
const resumed: Move = ['IN_PROGRESS', 'RESUMED']
const holdKyc: Move = ['ON_HOLD', 'ON_HOLD_KYC']
const holdProcess: Move = ['ON_HOLD', 'ON_HOLD_PROCESS']
const success: Move = ['SUCCESS', 'PROCESS_COMPLETED']
const failed: Move = ['FAILED', 'PROCESS_FAILED']
const refunded: Move = ['REFUNDED', 'REFUNDED']
const breached: Move = ['LIMIT_BREACHED', 'LIMIT_BREACHED']

type WeightedMoves = readonly (readonly [weight: number, path: Path])[]

/** A path takes the contract's steps forward, without holds and refunds. About a fifth is put on hold. */
const common = (issued: Move): WeightedMoves => [
  [60, [pending, progress, issued, success]],
  [3, [pending, failed]],
  [3, [pending, progress, failed]],
  [3, [pending, progress, failed, refunded]],
  [1, [pending, progress, refunded]],
  [1, [pending, progress, issued, failed]],
  [1, [pending, progress, issued, failed, refunded]],
  [1, [pending, progress, issued, success, refunded]],
  [4, [pending, holdKyc, progress, issued, success]],
  [6, [pending, progress, holdKyc, issued, success]],
  [2, [pending, progress, holdKyc, holdProcess, issued, success]],
  [4, [pending, progress, holdProcess, resumed, issued, success]],
  [2, [pending, progress, holdKyc, failed, refunded]],
  [1, [pending, progress, holdProcess, refunded]],
  [1, [pending, holdKyc, failed]],
  [2, [pending, progress, issued, holdProcess, success]],
]

/** The path reaches the same state again, in the same words, with another state in between. */
const repeating = (issued: Move): WeightedMoves => [
  [1, [pending, progress, holdKyc, progress, issued, success]],
  [1, [pending, progress, holdProcess, progress, holdProcess, issued, success]],
  [1, [pending, holdKyc, pending, progress, issued, success]],
  [1, [pending, progress, holdKyc, progress, holdKyc, progress, failed]],
]

/** The path has a hold for one reason, and then for another. */
const heldTwice = (issued: Move): WeightedMoves => [
  [1, [pending, progress, holdKyc, holdProcess, issued, success]],
  [1, [pending, holdProcess, holdKyc, progress, issued, success]],
]

const cryptoIssued: Move = ['CRYPTO_TRANSFER_ISSUED', 'CRYPTO_TRANSFER_ISSUED']
const fiatIssued: Move = ['FIAT_TRANSFER_ISSUED', 'FIAT_TRANSFER_ISSUED']

const usual: Record<Direction, WeightedMoves> = {
  fiatToCrypto: common(cryptoIssued),
  cryptoToFiat: [
    ...common(fiatIssued),
    [2, [pending, breached]],
    [1, [pending, breached, refunded]],
    [1, [pending, progress, breached, refunded]],
    [1, [pending, progress, holdProcess, breached]],
  ],
}
const again: Record<Direction, WeightedMoves> = {
  fiatToCrypto: repeating(cryptoIssued),
  cryptoToFiat: repeating(fiatIssued),
}

/** A hold lasts until a person has checked it, a refund takes up to a day, and transfers take seconds. */
function stay(random: RandomSource, from: Move | undefined, to: Move): number {
  if (to[0] === 'REFUNDED') return random.spread(30, 86_400)
  if (to[0] === 'ON_HOLD') return random.spread(3, 600)
  switch (from?.[0]) {
    case 'ON_HOLD':
      return random.spread(3, 6 * 3_600)
    case 'PENDING':
      return random.spread(3, 3_600)
    case 'IN_PROGRESS':
      return random.spread(3, 600)
    default:
      return random.spread(3, 120)
  }
}

/** The numbers look random and are the same for the same seed. */
export interface RandomSource {
  /** The number is at least 0 and less than 1. */
  next(): number
  /** The distribution is even between two bounds. */
  between(low: number, high: number): number
  /** Most numbers are near zero, and a few are many times the mean. */
  waiting(mean: number): number
  /** The distribution is logarithmic: as many numbers lie between 3 s and 30 s as between 1 h and 10 h. */
  spread(low: number, high: number): number
  chance(share: number): boolean
  pick<T>(from: readonly (readonly [weight: number, item: T])[]): T
}

/** mulberry32 has 32 bits of state, which is enough for a benchmark. */
export function seeded(seed: number): RandomSource {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    waiting: (mean) => -Math.log(1 - next()) * mean,
    spread: (low, high) => low * (high / low) ** next(),
    chance: (share) => next() < share,
    pick: (from) => {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of from) {
        left -= weight
        if (left < 0) return item
      }
      const last = from.at(-1)
      if (!last) throw new Error('There is nothing to pick from')
      return last[1]
    },
  }
}

/** An account stays in each state this long, in seconds. */
export type Stays = readonly [shortest: number, longest: number]

const fiat = (status: string): State => ({ type: 'unblockBankAccount', subType: 'statusUpdate', status })
const linked = (status: string): State => ({ type: 'linkBankAccount', subType: 'statusUpdate', status })
const kyc = (status: string): State => ({ type: 'KYC', subType: 'statusUpdate', status })

const [waiting, failedCreation, active, disabled] = [
  fiat('WAITING_CREATION'),
  fiat('FAILED_CREATION'),
  fiat('ACTIVE'),
  fiat('DISABLED'),
]
const [profilePending, checked, profileFailed, linkedActive, linkedDisabled] = [
  linked('PENDING'),
  linked('CHECK_COMPLETED'),
  linked('FAILED'),
  linked('ACTIVE'),
  linked('DISABLED'),
]

/**
 * Bank accounts and linked accounts have creations that fail and are tried again, and are switched off and on (§6.3, §6.5).
 */
const usualAccount: Weighted = [
  [30, [waiting, active]],
  [6, [waiting, active, disabled]],
  [5, [waiting, active, disabled, active]],
  [4, [waiting, failedCreation]],
  [5, [waiting, failedCreation, waiting, active]],
  [2, [waiting, failedCreation, waiting, failedCreation, waiting, active]],
  [14, [profilePending, checked, linkedActive]],
  [6, [profilePending, linkedActive]],
  [3, [profilePending, linkedActive, linkedDisabled, linkedActive]],
  [4, [profilePending, profileFailed]],
  [3, [profilePending, profileFailed, profilePending, checked, linkedActive]],
]

/** Every path switches off and on, or fails and is tried again. */
const toggling: Weighted = [
  [3, [waiting, active, disabled, active]],
  [2, [waiting, active, disabled, active, disabled]],
  [1, [waiting, active, disabled, active, disabled, active]],
  [1, [waiting, failedCreation, waiting, active]],
  [2, [profilePending, linkedActive, linkedDisabled, linkedActive]],
]

const [review, approved, rejected, retry] = [
  kyc('IN_REVIEW'),
  kyc('APPROVED'),
  kyc('REJECTED'),
  kyc('RESUBMIT'),
]

/** The contract gives KYC no states (§6.7), so these replace any states without a rank. */
const verification: Weighted = [
  [40, [review, approved]],
  [10, [review, rejected]],
  [10, [review, retry, review, approved]],
  [5, [review, rejected, review, approved]],
  [5, [review, retry, review, retry, review, rejected]],
]

/** Every path returns to a state that it has left. */
const togglingVerification: Weighted = [
  [3, [review, retry, review, approved]],
  [2, [review, retry, review, retry, review]],
  [2, [review, rejected, review, rejected]],
  [1, [review, approved, review, approved]],
]

const anHourToTwoDays: Stays = [5, 2 * 86_400]

export const drawAccount = (random: RandomSource): Life => life(random, usualAccount, anHourToTwoDays)
export const drawToggling =
  (stays: Stays) =>
  (random: RandomSource): Life =>
    life(random, toggling, stays)
export const drawTogglingVerification =
  (stays: Stays) =>
  (random: RandomSource): Life =>
    life(random, togglingVerification, stays)
export const drawVerification = (random: RandomSource): Life => life(random, verification, anHourToTwoDays)

function life(random: RandomSource, from: Weighted, [shortest, longest]: Stays): Life {
  const path = random.pick(from)
  return { path, stays: path.slice(1).map(() => random.spread(shortest, longest)) }
}
