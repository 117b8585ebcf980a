import type { Life, State, Weighted } from './paths.ts'
import type { RandomSource } from './random.ts'

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
const [pending, checked, failed, linkedActive, linkedDisabled] = [
  linked('PENDING'),
  linked('CHECK_COMPLETED'),
  linked('FAILED'),
  linked('ACTIVE'),
  linked('DISABLED'),
]

/**
 * Bank accounts and linked accounts have creations that fail and are tried again, and are switched off and on (§6.3, §6.5).
 */
const usual: Weighted = [
  [30, [waiting, active]],
  [6, [waiting, active, disabled]],
  [5, [waiting, active, disabled, active]],
  [4, [waiting, failedCreation]],
  [5, [waiting, failedCreation, waiting, active]],
  [2, [waiting, failedCreation, waiting, failedCreation, waiting, active]],
  [14, [pending, checked, linkedActive]],
  [6, [pending, linkedActive]],
  [3, [pending, linkedActive, linkedDisabled, linkedActive]],
  [4, [pending, failed]],
  [3, [pending, failed, pending, checked, linkedActive]],
]

/** Every path switches off and on, or fails and is tried again. */
const toggling: Weighted = [
  [3, [waiting, active, disabled, active]],
  [2, [waiting, active, disabled, active, disabled]],
  [1, [waiting, active, disabled, active, disabled, active]],
  [1, [waiting, failedCreation, waiting, active]],
  [2, [pending, linkedActive, linkedDisabled, linkedActive]],
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

export const drawAccount = (random: RandomSource): Life => life(random, usual, anHourToTwoDays)
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
