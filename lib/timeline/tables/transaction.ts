import 'server-only'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import type { EventFlag } from '../rules/fold.ts'
import { jsonOf, numeric, orNull, text, textOf, textsOf, time } from './column.ts'
import { defineTable, type NewRowOf, type RowOf } from './table.ts'
import type { StoredDetails } from './transaction-details.ts'

/** Where each transaction is now. Amounts are digits as written, times are times of receipt. Triggers count its rows, decision 0071. */
export const transactionTable = defineTable('transaction', ['subjectId'], {
  subjectId: text('subject_id'),
  uuid: text('uuid'),
  /** Null while only other events, such as a sender-name mismatch, have named it. */
  direction: orNull(textOf<Direction>()('direction')),
  /** The life-cycle step, one of §6.1 or §6.2 or one we do not know yet. */
  step: orNull(text('step')),
  /** `data.status`, the finer reason. */
  reason: orNull(text('reason')),
  amountFiat: orNull(numeric('amount_fiat')),
  amountCrypto: orNull(numeric('amount_crypto')),
  amountRefunded: orNull(numeric('amount_refunded')),
  /** The contract names no currency for it. */
  fees: orNull(numeric('fees')),
  /** The minimum that `LIMIT_BREACHED` speaks of. */
  limit: orNull(numeric('limit_amount')),
  currencyFiat: orNull(text('currency_fiat')),
  currencyCrypto: orNull(text('currency_crypto')),
  chain: orNull(text('chain')),
  transactionHash: orNull(text('transaction_hash')),
  userUuid: orNull(text('user_uuid')),
  /** What no list filters or sorts by, and only the transaction's own page shows. */
  details: jsonOf<StoredDetails>()('details'),
  flags: textsOf<EventFlag>()('flags'),
  startedAt: time('started_at'),
  /** When it came to where it stands. Null where that is its last move, as it mostly is, or not known: see `standsSince`. */
  stepBeganAt: orNull(time('step_began_at')),
  lastMoveAt: time('last_move_at'),
  finishedAt: orNull(time('finished_at')),
})

/** Since when it stands where it does, as far as that is known; `standsSince` in SQL. */
export const standsSince = ({ step_began_at, last_move_at }: TransactionRow): Date =>
  step_began_at ?? last_move_at
export const standsSinceSql = 'COALESCE(step_began_at, last_move_at)'

export type TransactionRow = RowOf<typeof transactionTable>
export type NewTransactionRow = NewRowOf<typeof transactionTable>
