import 'server-only'
import type { EventDetails } from '#lib/events/event-row.ts'
import type { TransactionRow } from './transaction-row.ts'

/** One transaction with everything that is known of it. */
export interface TransactionDetails extends TransactionRow {
  readonly parties: TransactionParties
  /** Its timeline, in order. */
  readonly events: readonly EventDetails[]
}

/** Who and which accounts take part, §6.1 and §6.2: the latest value given of each, null when never given. */
export interface TransactionParties {
  readonly walletAddress: string | null
  readonly sendingWalletAddress: string | null
  readonly sendingAddress: string | null
  readonly internalBankAccountId: string | null
  readonly linkedBankAccountUuid: string | null
  readonly remoteBankAccountUuid: string | null
  readonly sender: {
    readonly name: string | null
    readonly country: string | null
    readonly currency: string | null
    readonly iban: string | null
  }
  readonly beneficiary: {
    readonly name: string | null
    readonly currency: string | null
    readonly accountNumber: string | null
    readonly bankCode: string | null
    readonly bankName: string | null
  }
}
