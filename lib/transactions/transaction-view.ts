import 'server-only'
import type { EventFlag } from '#lib/domain/fold.ts'
import type { Direction } from '#lib/domain/steps.ts'
import type { TransactionSort } from '#lib/domain/transaction-sort.ts'

/** One transaction as lists show it. Amounts are digits as written, times ISO 8601 (times of receipt). */
export interface TransactionView {
  readonly uuid: string
  readonly subjectId: string
  /** Null while only other events, such as a sender-name mismatch, have named it. */
  readonly direction: Direction | null
  /** The life-cycle step, one of §6.1 or §6.2 or one we do not know yet. */
  readonly step: string | null
  /** `data.status`, the finer reason. */
  readonly reason: string | null
  readonly amountFiat: string | null
  readonly amountCrypto: string | null
  readonly amountRefunded: string | null
  /** The contract names no currency for it. */
  readonly fees: string | null
  /** The minimum that `LIMIT_BREACHED` speaks of. */
  readonly limit: string | null
  readonly currencyFiat: string | null
  readonly currencyCrypto: string | null
  readonly chain: string | null
  readonly transactionHash: string | null
  readonly userUuid: string | null
  /** From the directory. */
  readonly userEmail: string | null
  readonly flags: readonly EventFlag[]
  /** Between PENDING and the end, and nothing has moved for 15 minutes. */
  readonly stuck: boolean
  readonly startedAt: string
  readonly lastMoveAt: string
  readonly finishedAt: string | null
}

export interface TransactionPage {
  readonly rows: readonly TransactionView[]
  /** For `cursor`: the next page; null on the last one. */
  readonly next: string | null
  readonly total: Total
}

/** Exact up to 1,000, beyond that an estimate of two digits to be shown as "about". */
export interface Total {
  readonly count: number
  readonly exact: boolean
}

export interface TransactionFilters {
  readonly direction?: Direction | undefined
  readonly step?: string | undefined
  readonly userUuid?: string | undefined
  /** `started` by default. */
  readonly sort?: TransactionSort | undefined
  /** `next` of a page in the same order. */
  readonly cursor?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}
