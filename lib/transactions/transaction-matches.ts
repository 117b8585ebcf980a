import 'server-only'
import type { TransactionRow } from './transaction-row.ts'

/** What a search found. */
export interface TransactionMatches {
  /** How the text was understood, in words for people; null when nothing can be searched by it. */
  readonly understood: string | null
  /** Newest first. */
  readonly rows: readonly TransactionRow[]
  /** The uuid to open at once: the text names this one transaction and no other. */
  readonly exact: string | null
  /** There are more than are listed. */
  readonly more: boolean
}
