import 'server-only'
import type { TransactionRow } from './transaction-row.ts'

/** What a search found. */
export interface TransactionMatches {
  /** How the text was understood, or why nothing can be searched by it. */
  readonly words: string
  /** Newest first. */
  readonly rows: readonly TransactionRow[]
  /** The uuid to open at once: the text names this one transaction and no other. */
  readonly exact: string | null
  /** There are more than are listed. */
  readonly more: boolean
}
