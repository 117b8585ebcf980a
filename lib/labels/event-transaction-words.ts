import type { StateOf, StepReason } from '#lib/domain/delivery/event-states.ts'
import type { StaffWords } from './tone.ts'

const nobody = 'Nobody has to act.'

/** §6.1 */
export const fiatToCryptoWords = {
  PENDING: {
    label: 'Pending',
    tone: 'wait',
    meaning: 'Transaction created, awaiting processing.',
    next: 'Nobody has to act: that the fiat was received is not acknowledged yet.',
  },
  IN_PROGRESS: {
    label: 'In progress',
    tone: 'move',
    meaning: 'Fiat receipt acknowledged; processing.',
    next: nobody,
  },
  CRYPTO_TRANSFER_ISSUED: {
    label: 'Stablecoin sent',
    tone: 'move',
    meaning: 'Stablecoin sent to the network.',
    next: 'Nobody has to act: the hash leads to the transfer on its chain.',
  },
  SUCCESS: { label: 'Success', tone: 'done', meaning: 'Finalized, process completed.', next: nobody },
  ON_HOLD: {
    label: 'On hold',
    tone: 'held',
    meaning: 'Paused.',
    next: 'Who must act depends on the reason; where none is given, ask the provider.',
  },
  FAILED: {
    label: 'Failed',
    tone: 'fail',
    meaning: 'Transaction failed.',
    next: 'Ask the provider whether the money goes back: a refund is an event of its own.',
  },
  REFUNDED: { label: 'Refunded', tone: 'back', meaning: 'Refunded to the customer.', next: nobody },
} as const satisfies Record<StateOf<'fiatToCrypto'>, StaffWords>

/** §6.2 */
export const cryptoToFiatWords = {
  PENDING: {
    label: 'Pending',
    tone: 'wait',
    meaning: 'Created, awaiting processing.',
    next: 'Nobody has to act: that the stablecoin was received is not acknowledged yet.',
  },
  IN_PROGRESS: {
    label: 'In progress',
    tone: 'move',
    meaning: 'Stablecoin receipt acknowledged; processing.',
    next: nobody,
  },
  FIAT_TRANSFER_ISSUED: {
    label: 'Fiat transfer sent',
    tone: 'move',
    meaning: 'Fiat transfer initiated.',
    next: nobody,
  },
  SUCCESS: { label: 'Success', tone: 'done', meaning: 'Fiat transfer completed.', next: nobody },
  ON_HOLD: fiatToCryptoWords.ON_HOLD,
  FAILED: fiatToCryptoWords.FAILED,
  LIMIT_BREACHED: {
    label: 'Below minimum',
    tone: 'fail',
    meaning: 'Stablecoin amount sent was below the minimum for the chain.',
    next: 'Ask the provider whether it goes back: a refund is an event of its own.',
  },
  REFUNDED: fiatToCryptoWords.REFUNDED,
} as const satisfies Record<StateOf<'cryptoToFiat'>, StaffWords>

/** The finer reason of a step. Its label is null where it only repeats the step. */
export interface ReasonWords {
  readonly label: string | null
  readonly meaning: string
  readonly next: string
}

export const reasonWords = {
  ON_HOLD_KYC: {
    label: 'KYC',
    meaning: 'Paused for the verification of the customer.',
    next: 'The customer must finish verification; their page shows how far it is.',
  },
  ON_HOLD_PROCESS: {
    label: 'processing',
    meaning: 'Paused in processing.',
    next: 'The provider must act. If it lasts, ask them by the id of the transaction.',
  },
  OUTSIDE_TRANSFER_IN_REVIEW: {
    label: 'transfer in review',
    meaning: 'A transfer from or to outside is in review.',
    next: 'Who must act is not said: ask the provider what is needed.',
  },
  PROCESS_COMPLETED: { label: null, meaning: 'The process is completed.', next: nobody },
  PROCESS_FAILED: {
    label: null,
    meaning: 'The process failed.',
    next: fiatToCryptoWords.FAILED.next,
  },
} as const satisfies Record<StepReason, ReasonWords>
