import 'server-only'
import type pg from 'pg'
import { bankAccountTypes } from '#lib/deliveries/rules/event-types.ts'
import { canonicalJson, type Json, JsonNumber } from '#lib/deliveries/rules/json.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { type EventRow, eventTable } from '../tables/event.ts'
import { columnsOf } from '../tables/table.ts'
import { type TransactionRow, toParties, transactionTable } from '../tables/transaction.ts'
import { type BodyReading, readKnownBody } from './bodies.ts'

/** The body of a lost event is nowhere any more; the event is read from the subject's rows in the tables. */
export interface LostEvent {
  readonly row: EventRow
  readonly reading: BodyReading
  /** The body says the same as the lost one; it is empty when that was unreadable. */
  readonly body: Buffer
}

/**
 * Neither the log nor the event itself has a body of these events, because a month was dropped by hand. Each
 * body repeats its row; the last one also holds all values and identifiers of the transaction or account. A
 * fold gives the existing rows again.
 */
export async function readLostEvents(
  database: pg.Pool | pg.ClientBase,
  events: readonly { readonly subject_id: string; readonly id: string }[],
): Promise<LostEvent[]> {
  if (events.length === 0) return []
  const subjects = [...new Set(events.map(({ subject_id }) => subject_id))]
  const { rows } = await database.query<EventRow>(EVENTS, [
    events.map(({ subject_id }) => subject_id),
    events.map(({ id }) => id),
  ])
  const { rows: transactions } = await database.query<TransactionRow>(TRANSACTIONS, [subjects])
  const { rows: accounts } = await database.query<AccountRow>(ACCOUNTS, [subjects])
  const { rows: named } = await database.query<{ subject_id: string; values: string[] }>(IDENTIFIERS, [
    subjects,
  ])
  const transactionOf = new Map(transactions.map((row) => [row.subject_id, row]))
  const identifiersOf = new Map(named.map((row) => [row.subject_id, row.values]))
  const currencyOf = new Map(
    accounts.map(({ subject_id, type, currency }) => [`${subject_id} ${type}`, currency]),
  )
  return [...Map.groupBy(rows, ({ subject_id }) => subject_id)].flatMap(([id, lost]) => {
    const transaction = transactionOf.get(id)
    const speaker = lost.findLast(({ type }) => isDirection(type)) ?? lost.at(-1)
    const lastOfType = new Map(lost.map((row) => [row.type, row]))
    return lost.map((row): LostEvent => {
      const data: [string, Json | undefined][] = [
        ['status', row.status ?? undefined],
        ...idOf(row),
        ...(transaction && row === speaker ? fieldsOf(transaction) : []),
        ['currency', (lastOfType.get(row.type) === row && currencyOf.get(`${id} ${row.type}`)) || undefined],
      ]
      const body = row.unreadable === null ? Buffer.from(canonicalJson(envelopeOf(row, given(data)))) : empty
      const reading = readShortened(row, body)
      const identifiers = row === lost.at(-1) ? (identifiersOf.get(id) ?? []) : reading.identifiers
      return { row, body, reading: { ...reading, identifiers } }
    })
  })
}

/** The kept part of a body has the fingerprint of the whole body. */
export function readShortened(row: EventRow, body: Buffer): BodyReading {
  const fingerprint = row.fingerprint.toString('hex')
  if (row.unreadable === null) return readKnownBody(body, fingerprint)
  return { fingerprint, envelope: null, unreadable: row.unreadable, identifiers: [] }
}

const empty = Buffer.alloc(0)

const given = (entries: readonly (readonly [string, Json | undefined])[]) =>
  new Map(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))

const envelopeOf = ({ type, sub_type, entity_uuid }: EventRow, data: ReadonlyMap<string, Json>) =>
  given([
    ['type', type ?? undefined],
    ['subType', sub_type ?? undefined],
    ['uuid', entity_uuid ?? undefined],
    ['data', data],
  ])

function idOf({ subject_id, type }: EventRow): [string, Json][] {
  const subject = parseSubjectId(subject_id)
  if (subject?.kind === 'transaction') return [['transactionUuid', subject.id]]
  return subject?.kind === 'bank-account' && bankAccountTypes.has(type ?? '') ? [['uuid', subject.id]] : []
}

/** The fields are named as in the contract, §6.1 and §6.2. */
function fieldsOf(row: TransactionRow): [string, Json | undefined][] {
  const { sender, beneficiary, ...ids } = toParties(row.details)
  // It is not known which of the amounts was unreadable.
  const none = row.flags.includes('amount-not-readable') ? true : undefined
  const number = (digits: string | null) => (digits === null ? none : new JsonNumber(digits))
  const text = (value: string | null | undefined) => value ?? undefined
  return [
    ['direction', text(row.direction)],
    ['amountFiat', number(row.amount_fiat)],
    ['amountCrypto', number(row.amount_crypto)],
    ['amountRefunded', number(row.amount_refunded)],
    ['fees', number(row.fees)],
    ['limit', number(row.limit_amount)],
    ['currencyFiat', text(row.currency_fiat)],
    ['currencyCrypto', text(row.currency_crypto)],
    ['chain', text(row.chain)],
    ['transactionHash', text(row.transaction_hash)],
    ...Object.entries(ids).map(([name, id]) => [name, text(id)] satisfies [string, Json | undefined]),
    [
      'senderDetails',
      given([
        ['senderName', text(sender?.name)],
        ['senderCountry', text(sender?.country)],
        [
          'accountDetails',
          given([
            ['iban', text(sender?.iban)],
            ['currency', text(sender?.currency)],
          ]),
        ],
      ]),
    ],
    [
      'beneficiaryDetails',
      given([
        ['receiverName', text(beneficiary?.name)],
        [
          'accountDetails',
          given([
            ['accountNumber', text(beneficiary?.accountNumber)],
            ['bankCode', text(beneficiary?.bankCode)],
            ['bankName', text(beneficiary?.bankName)],
            ['currency', text(beneficiary?.currency)],
          ]),
        ],
      ]),
    ],
  ]
}

interface AccountRow {
  readonly subject_id: string
  readonly type: string
  readonly currency: string | null
}

const EVENTS = `
  SELECT ${columnsOf(eventTable)} FROM unnest($1::text[], $2::uuid[]) AS wanted (subject_id, id)
  JOIN event USING (subject_id, id) ORDER BY subject_id, position`

const TRANSACTIONS = `SELECT ${columnsOf(transactionTable)} FROM transaction WHERE subject_id = ANY($1)`

const ACCOUNTS = 'SELECT subject_id, type, currency FROM standing WHERE subject_id = ANY($1)'

const IDENTIFIERS = `
  SELECT subject_id, array_agg(value) AS values FROM identifier WHERE subject_id = ANY($1) GROUP BY subject_id`
