import type { Direction, Step } from '#lib/domain/steps.ts'
import type { Random } from './random.ts'

/** A state as an envelope tells it: the step of §6.1 or §6.2, and its `data.status`. */
export type State = readonly [step: Step, status: string]

/** One way from a transaction's creation to its end. */
export type Path = readonly State[]

/** Share of the transactions in which a state is truly reached again: about 0.1 % of all events then repeat one. */
const againShare = 0.0025

/** Which states a transaction passes, and for how long (seconds) it stays in each before the next. */
export function drawLife(random: Random): { direction: Direction; path: Path; stays: number[] } {
  const direction: Direction = random.chance(0.5) ? 'fiatToCrypto' : 'cryptoToFiat'
  const path = random.chance(againShare) ? random.pick(again[direction]) : random.pick(usual[direction])
  return { direction, path, stays: path.slice(1).map((to, index) => stay(random, path[index], to)) }
}

const pending: State = ['PENDING', 'PENDING']
const progress: State = ['IN_PROGRESS', 'OUTSIDE_TRANSFER_IN_REVIEW']
const resumed: State = ['IN_PROGRESS', 'RESUMED']
const holdKyc: State = ['ON_HOLD', 'ON_HOLD_KYC']
const holdProcess: State = ['ON_HOLD', 'ON_HOLD_PROCESS']
const success: State = ['SUCCESS', 'PROCESS_COMPLETED']
const failed: State = ['FAILED', 'PROCESS_FAILED']
const refunded: State = ['REFUNDED', 'REFUNDED']
const breached: State = ['LIMIT_BREACHED', 'LIMIT_BREACHED']

type Weighted = readonly (readonly [weight: number, path: Path])[]

/** Any path of the contract's steps that goes forward, holds and refunds aside; about a fifth is put on hold. */
const common = (issued: State): Weighted => [
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

/** The same state, in the same words, reached again with another in between. */
const repeating = (issued: State): Weighted => [
  [1, [pending, progress, holdKyc, progress, issued, success]],
  [1, [pending, progress, holdProcess, progress, holdProcess, issued, success]],
  [1, [pending, holdKyc, pending, progress, issued, success]],
  [1, [pending, progress, holdKyc, progress, holdKyc, progress, failed]],
]

const cryptoIssued: State = ['CRYPTO_TRANSFER_ISSUED', 'CRYPTO_TRANSFER_ISSUED']
const fiatIssued: State = ['FIAT_TRANSFER_ISSUED', 'FIAT_TRANSFER_ISSUED']

const usual: Record<Direction, Weighted> = {
  fiatToCrypto: common(cryptoIssued),
  cryptoToFiat: [
    ...common(fiatIssued),
    [2, [pending, breached]],
    [1, [pending, breached, refunded]],
    [1, [pending, progress, breached, refunded]],
    [1, [pending, progress, holdProcess, breached]],
  ],
}
const again: Record<Direction, Weighted> = {
  fiatToCrypto: repeating(cryptoIssued),
  cryptoToFiat: repeating(fiatIssued),
}

/** A hold lasts as long as whoever looks into it; a refund takes up to a day; transfers are a matter of seconds. */
function stay(random: Random, from: State | undefined, to: State): number {
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
