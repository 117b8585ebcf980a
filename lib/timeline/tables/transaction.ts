import 'server-only'
import type { Direction } from '#lib/deliveries/rules/steps.ts'
import { type ProjectedTransaction, shownSeconds } from '#lib/transactions/rules/transaction.ts'
import type { EventFlag } from '../rules/fold.ts'
import {
  defineTable,
  isoTime,
  jsonOf,
  type NewRowOf,
  numeric,
  orNull,
  type RowOf,
  text,
  textOf,
  textsOf,
  time,
} from './table.ts'

/**
 * Each transaction has its current status here. Amounts are digits as written, times are times of receipt.
 * Whoever changes rows changes the counts of them too, see `countChanges`.
 */
export const transactionTable = defineTable('transaction', ['subjectId'], {
  subjectId: text('subject_id'),
  uuid: text('uuid'),
  /** Null while only other events, such as a sender-name mismatch, have named the transaction. */
  direction: orNull(textOf<Direction>()('direction')),
  /** The step is one of §6.1 or §6.2, or an unknown one. */
  step: orNull(text('step')),
  /** `data.status` is the finer reason. */
  reason: orNull(text('reason')),
  amountFiat: orNull(numeric('amount_fiat')),
  amountCrypto: orNull(numeric('amount_crypto')),
  amountRefunded: orNull(numeric('amount_refunded')),
  /** The contract names no currency for the fees. */
  fees: orNull(numeric('fees')),
  /** `LIMIT_BREACHED` means that the amount is below this minimum. */
  limit: orNull(numeric('limit_amount')),
  currencyFiat: orNull(text('currency_fiat')),
  currencyCrypto: orNull(text('currency_crypto')),
  chain: orNull(text('chain')),
  transactionHash: orNull(text('transaction_hash')),
  userUuid: orNull(text('user_uuid')),
  /** Only the transaction's own page shows these values; no list filters or sorts by them. */
  details: jsonOf<StoredDetails>()('details'),
  flags: textsOf<EventFlag>()('flags'),
  startedAt: time('started_at'),
  /**
   * The current step began at this time. Null when that is its last move, as it mostly is, or when it is not
   * known: see `standsSince`.
   */
  stepBeganAt: orNull(time('step_began_at')),
  lastMoveAt: time('last_move_at'),
  finishedAt: orNull(time('finished_at')),
})

/** The current step began at this time, as far as that is known; `standsSince` in SQL. */
export const standsSince = ({ step_began_at, last_move_at }: TransactionRow): Date =>
  step_began_at ?? last_move_at
export const standsSinceSql = 'COALESCE(step_began_at, last_move_at)'

export type TransactionRow = RowOf<typeof transactionTable>
export type NewTransactionRow = NewRowOf<typeof transactionTable>

/** Nobody takes part. §6.1, §6.2 */
const noParties = {
  walletAddress: null,
  sendingAddress: null,
  sender: { name: null, country: null, iban: null, currency: null },
  beneficiary: { name: null, accountNumber: null, bankCode: null, bankName: null, currency: null },
  internalBankAccountId: null,
  linkedBankAccountUuid: null,
  remoteBankAccountUuid: null,
} as const satisfies Partial<ProjectedTransaction>

/** These people and accounts take part, §6.1 and §6.2: the latest value of each, null when never given. */
export type TransactionParties = Pick<ProjectedTransaction, keyof typeof noParties>

/** The column `details` leaves out unknown values; rows of older rules have null there. */
export type StoredDetails = {
  readonly [Name in keyof TransactionParties]?: Partial<TransactionParties[Name]> | null
} & {
  /** The value is stored when it is not the latest move. */
  readonly lastReceivedAt?: string | null
  /** The value is stored when another outcome came later, at `finishedAt`. */
  readonly endedAt?: string | null
  readonly durationSeconds?: number | null
}

export function toStoredDetails(transaction: ProjectedTransaction): StoredDetails {
  const { lastReceivedAt, lastMoveAt, endedAt, finishedAt, durationSeconds } = transaction
  const details: Record<string, unknown> = {}
  for (const name of names) details[name] = storedParty(transaction[name])
  details.lastReceivedAt = lastReceivedAt === lastMoveAt ? null : isoTime(lastReceivedAt)
  details.endedAt = endedAt === null || endedAt === finishedAt ? null : isoTime(endedAt)
  details.durationSeconds = durationSeconds
  return withoutNulls(details)
}

export function toParties(stored: StoredDetails): TransactionParties {
  const parties = names.map((name) => [name, fullParty(stored[name] ?? null, noParties[name])])
  return Object.fromEntries(parties)
}

/** The duration is in whole seconds, as the shown times of its first and its last step differ; null when not known. */
export function toShownDuration({ durationSeconds }: StoredDetails, finishedAt: Date | null): number | null {
  if (durationSeconds == null || finishedAt === null) return null
  const end = finishedAt.getTime()
  return shownSeconds(Math.round(end - durationSeconds * 1000), end)
}

const names = Object.keys(noParties) as (keyof TransactionParties)[]

const storedParty = (party: string | object | null) =>
  typeof party === 'object' && party !== null ? withoutNulls(party) : party

const fullParty = (stored: string | object | null, empty: object | null) =>
  typeof stored === 'object' && stored !== null ? { ...empty, ...stored } : stored

const withoutNulls = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
