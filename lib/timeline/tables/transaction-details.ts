import 'server-only'
import { shownSeconds } from '#lib/transactions/rules/shown-seconds.ts'
import type { ProjectedTransaction } from '#lib/transactions/rules/transaction.ts'
import { isoTime } from './column.ts'

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

/** Who and which accounts take part, §6.1 and §6.2: the latest value given of each, null when never given. */
export type TransactionParties = Pick<ProjectedTransaction, keyof typeof noParties>

/** The column `details`: what is not known is left out, or null in rows of older rules. */
export type StoredDetails = {
  readonly [Name in keyof TransactionParties]?: Partial<TransactionParties[Name]> | null
} & {
  /** Where it is not the latest move. */
  readonly lastReceivedAt?: string | null
  readonly durationSeconds?: number | null
}

export function toStoredDetails(transaction: ProjectedTransaction): StoredDetails {
  const { lastReceivedAt, lastMoveAt, durationSeconds } = transaction
  const details: Record<string, unknown> = {}
  for (const name of names) details[name] = storedParty(transaction[name])
  details.lastReceivedAt = lastReceivedAt === lastMoveAt ? null : isoTime(lastReceivedAt)
  details.durationSeconds = durationSeconds
  return withoutNulls(details)
}

export function toParties(stored: StoredDetails): TransactionParties {
  const parties = names.map((name) => [name, fullParty(stored[name] ?? null, noParties[name])])
  return Object.fromEntries(parties)
}

/** How long it took in whole seconds, as the times of its first and its last step show it; null when not known. */
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
