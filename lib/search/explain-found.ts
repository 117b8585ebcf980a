import 'server-only'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { type Information, showValue, visibilityOf } from '#lib/access/rules/visibility.ts'
import { normaliseIdentifier } from '#lib/deliveries/rules/identifier.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { type StoredDetails, toParties } from '#lib/timeline/tables/transaction.ts'
import { refundOf } from '#lib/transactions/rules/refund.ts'
import type { FoundPerson, FoundSubject, Why, WhyField } from './found.ts'
import { matchedParts } from './rules/probes.ts'
import type { QueryReading } from './rules/read-query.ts'
import { searchQuery } from './search-query.ts'

/** `Explained` is the input that explains a page of a search. */
interface Explained {
  readonly reading: QueryReading
  readonly people: readonly FoundPerson[]
  /** The search looked for these whole ids. */
  readonly whole: readonly string[]
  readonly found: readonly FoundSubject[]
}

/**
 * Each subject gets the field by which it was found, as far as the role may know; account numbers look as they
 * do elsewhere. Only the ids of these subjects are read.
 */
export async function explainFound(role: StaffRole, explained: Explained): Promise<Record<string, Why>> {
  const { reading, found } = explained
  if (found.length === 0) return {}
  if (reading.amount)
    return Object.fromEntries(found.flatMap((one) => whyAmount(one, reading.amount?.digits)))
  const rows = await searchQuery<IdsRow>(IDS, [found.map(({ subjectId }) => subjectId)])
  const bySubject = new Map(found.map((one) => [one.subjectId, one]))
  return Object.fromEntries(
    rows.flatMap((row) => {
      const subject = bySubject.get(row.subject_id)
      const why = subject && whyOf(role, explained, subject, row)
      return why ? [[row.subject_id, why]] : []
    }),
  )
}

interface IdsRow {
  readonly subject_id: string
  readonly ids: readonly string[]
  readonly details: StoredDetails | null
}

const IDS = `
  SELECT subject_id, array_agg(value) AS ids,
    (SELECT details FROM transaction WHERE transaction.subject_id = identifier.subject_id) AS details
  FROM identifier WHERE subject_id = ANY($1) GROUP BY subject_id`

function whyOf(role: StaffRole, explained: Explained, subject: FoundSubject, row: IdsRow): Why | null {
  const { reading, people, whole } = explained
  const person = people.find(({ userUuid }) => row.ids.includes(userUuid))
  const fields = fieldsOf(subject, row.details)
  const seesNumbers = visibilityOf(role, 'account-number') === 'plain'
  const reasons = row.ids.flatMap((id): Why[] => {
    const number = /^=(.*)=$/.exec(id)?.[1]
    const value = number ?? id
    const isWhole = whole.includes(id) || reading.accountNumber === value
    const searchable = number === undefined || seesNumbers
    const marks = isWhole
      ? [{ from: 0, to: value.length }]
      : searchable
        ? matchedParts(value, reading.probes)
        : []
    if (marks.length === 0 || value === person?.userUuid) return []
    const field = fields.get(value) ?? (number === undefined ? 'other' : 'account-number')
    const sort = number === undefined ? (sorts[field] ?? 'fact') : 'account-number'
    const text = showValue(role, sort, sort === 'account-number' ? value.toUpperCase() : value) ?? ''
    return [{ field, text, marks: text.length === value.length ? marks : [] }]
  })
  const [best] = reasons.toSorted((one, other) => order.indexOf(one.field) - order.indexOf(other.field))
  return best ?? person?.why ?? null
}

const order: readonly WhyField[] = [
  'id',
  'hash',
  'sender-account-number',
  'beneficiary-account-number',
  'account-number',
  'wallet',
  'sending-wallet',
  'account',
  'person',
  'other',
]

/** Rows from before account numbers were marked hold them without a mark. A value that no field explains may be a wallet. */
const sorts: Partial<Record<WhyField, Information>> = {
  'sender-account-number': 'account-number',
  'beneficiary-account-number': 'account-number',
  'account-number': 'account-number',
  wallet: 'wallet',
  'sending-wallet': 'wallet',
  other: 'wallet',
}

/** Each id of a subject belongs to one of these fields, in the form of `normaliseIdentifier`. */
function fieldsOf(subject: FoundSubject, details: StoredDetails | null): ReadonlyMap<string, WhyField> {
  const own = parseSubjectId(subject.subjectId)?.id ?? ''
  const parties = details && toParties(details)
  const known: readonly (readonly [WhyField, string | null | undefined])[] = [
    ['person', 'latest' in subject ? subject.latest.entityUuid : subject.userUuid],
    ['account', parties?.internalBankAccountId],
    ['account', parties?.linkedBankAccountUuid],
    ['account', parties?.remoteBankAccountUuid],
    ['wallet', parties?.walletAddress],
    ['sending-wallet', parties?.sendingAddress],
    ['sender-account-number', parties?.sender?.iban],
    ['beneficiary-account-number', parties?.beneficiary?.accountNumber],
    ['hash', 'latest' in subject ? null : subject.transactionHash],
    ['id', own],
  ]
  return new Map(known.flatMap(([field, value]) => (value ? [[normaliseIdentifier(value), field]] : [])))
}

function whyAmount(subject: FoundSubject, digits: readonly string[] = []): (readonly [string, Why])[] {
  if ('latest' in subject) return []
  const wanted = new Set(digits.map(Number))
  const amounts = [
    ['fiat', subject.amountFiat, subject.currencyFiat],
    ['crypto', subject.amountCrypto, subject.currencyCrypto],
    ['refunded', subject.amountRefunded, refundOf(subject)?.currency ?? null],
  ] as const
  const same = amounts.find(([, amount]) => amount !== null && wanted.has(Number(amount)))
  if (!same) return []
  const [field, amount, currency] = same
  const text = [amount, currency?.toUpperCase()].filter(Boolean).join(' ')
  return [[subject.subjectId, { field, text, marks: [{ from: 0, to: String(amount).length }] }]]
}
