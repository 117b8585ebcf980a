import type { StateOf, StepReason } from '#lib/deliveries/rules/event-states.ts'
import { cryptoToFiatNames, fiatToCryptoNames } from '#lib/transactions/labels/step-labels.ts'
import type { StaffWords } from '#lib/words/labels/tone.ts'

const nobody = 'No action needed.'

/** §6.1 */
export const fiatToCryptoWords = {
  PENDING: {
    ...fiatToCryptoNames.PENDING,
    meaning: 'Transaction created, awaiting processing.',
    next: 'No action needed. Receipt of the fiat is not confirmed yet.',
  },
  IN_PROGRESS: {
    ...fiatToCryptoNames.IN_PROGRESS,
    meaning: 'Fiat receipt acknowledged; processing.',
    next: nobody,
  },
  CRYPTO_TRANSFER_ISSUED: {
    ...fiatToCryptoNames.CRYPTO_TRANSFER_ISSUED,
    meaning: 'Stablecoin sent to the network.',
    next: 'No action needed. The hash links to the transfer on its chain.',
  },
  SUCCESS: { ...fiatToCryptoNames.SUCCESS, meaning: 'Completed.', next: nobody },
  ON_HOLD: {
    ...fiatToCryptoNames.ON_HOLD,
    meaning: 'Paused.',
    next: 'The next step depends on the reason. Without a reason, ask the provider.',
  },
  FAILED: {
    ...fiatToCryptoNames.FAILED,
    meaning: 'Transaction failed.',
    next: 'Ask the provider about a refund. A refund arrives as a separate event.',
  },
  REFUNDED: { ...fiatToCryptoNames.REFUNDED, meaning: 'Refunded to the customer.', next: nobody },
} as const satisfies Record<StateOf<'fiatToCrypto'>, StaffWords>

/** §6.2 */
export const cryptoToFiatWords = {
  PENDING: {
    ...cryptoToFiatNames.PENDING,
    meaning: 'Created, awaiting processing.',
    next: 'No action needed. Receipt of the stablecoin is not confirmed yet.',
  },
  IN_PROGRESS: {
    ...cryptoToFiatNames.IN_PROGRESS,
    meaning: 'Stablecoin receipt acknowledged; processing.',
    next: nobody,
  },
  FIAT_TRANSFER_ISSUED: {
    ...cryptoToFiatNames.FIAT_TRANSFER_ISSUED,
    meaning: 'Fiat transfer initiated.',
    next: nobody,
  },
  SUCCESS: { ...cryptoToFiatNames.SUCCESS, meaning: 'Fiat transfer completed.', next: nobody },
  ON_HOLD: fiatToCryptoWords.ON_HOLD,
  FAILED: fiatToCryptoWords.FAILED,
  LIMIT_BREACHED: {
    ...cryptoToFiatNames.LIMIT_BREACHED,
    meaning: 'Stablecoin amount sent was below the minimum for the chain.',
    next: 'Ask the provider about a refund. A refund arrives as a separate event.',
  },
  REFUNDED: fiatToCryptoWords.REFUNDED,
} as const satisfies Record<StateOf<'cryptoToFiat'>, StaffWords>

/** These words explain the finer reason of a step. */
export interface ReasonWords {
  readonly meaning: string
  readonly next: string
}

export const reasonWords = {
  ON_HOLD_KYC: {
    meaning: 'Paused for the verification of the customer.',
    next: 'The customer must finish verification; their page shows how far it is.',
  },
  ON_HOLD_PROCESS: {
    meaning: 'Paused in processing.',
    next: 'Waiting for the provider. If it lasts, ask them and give the transaction ID.',
  },
  OUTSIDE_TRANSFER_IN_REVIEW: {
    meaning: 'A transfer from or to outside is in review.',
    next: 'Ask the provider what is needed.',
  },
  PROCESS_COMPLETED: {
    meaning: 'The process is completed.',
    next: nobody,
  },
  PROCESS_FAILED: {
    meaning: 'The process failed.',
    next: fiatToCryptoWords.FAILED.next,
  },
} as const satisfies Record<StepReason, ReasonWords>
