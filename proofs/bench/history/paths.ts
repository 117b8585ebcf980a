import type { Direction, Step } from '../../../lib/deliveries/rules/steps.ts'
import type { RandomSource } from './random.ts'

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

export type Weighted = readonly (readonly [weight: number, path: readonly State[]])[]

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
