import 'server-only'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import type { TransactionParties } from '#lib/timeline/tables/transaction-details.ts'
import type { TransactionView } from './transaction-view.ts'

/** One transaction with everything that is known of it. */
export interface TransactionDetailsView extends TransactionView {
  readonly parties: TransactionParties
  /** The latest delivery about it, repetitions included. */
  readonly lastReceivedAt: string
  /** From its creation to its outcome, as their shown times differ; null while open, or when either time is not known. */
  readonly durationSeconds: number | null
  /** Fields of it that are masked here and that the caller may have shown whole, such as `parties.sender.iban`. */
  readonly revealable: readonly string[]
  /** Its timeline, in order. */
  readonly events: readonly EventDetailsView[]
}
