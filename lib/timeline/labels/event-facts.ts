import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import {
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  parseJson,
} from '#lib/deliveries/rules/json.ts'
import { isDirection } from '#lib/deliveries/rules/steps.ts'
import { type Refund, refundOf } from '#lib/transactions/rules/refund.ts'

/** The kind says how a value is written. `amount` is in the currency that another field of the body names. */
export type FactKind =
  | 'text'
  | 'amount'
  | 'number'
  | 'time'
  | 'country'
  | 'account-number'
  | 'wallet'
  | 'hash'
  | 'chain'
  | 'id'
  | 'person'

interface FactRow {
  readonly name: string
  readonly kind: FactKind
  /** `currency` names the field with the currency of an amount. */
  readonly currency?: string
}

/** A fact is a field of the body that is shown beside its event, as far as the role may see it. */
export interface EventFact {
  readonly path: string
  readonly name: string
  readonly kind: FactKind
  readonly value: string
  readonly currency: string | null
  /** `chain` is set for a hash or a wallet. */
  readonly chain: string | null
}

const text = (name: string): FactRow => ({ name, kind: 'text' })
const id = (name: string): FactRow => ({ name, kind: 'id' })

const money = {
  amountFiat: { name: 'Fiat', kind: 'amount', currency: 'currencyFiat' },
  amountCrypto: { name: 'Stablecoin', kind: 'amount', currency: 'currencyCrypto' },
  // §6 names no currency for these.
  amountRefunded: { name: 'Amount refunded', kind: 'number' },
  fees: { name: 'Fees', kind: 'number' },
} as const satisfies Record<string, FactRow>

const onChain = {
  chain: { name: 'Chain', kind: 'chain' },
  transactionHash: { name: 'Hash', kind: 'hash' },
} as const satisfies Record<string, FactRow>

const linked = { error: text('Error'), uuid: id('ID') } as const

/**
 * These fields of each type are shown beside its event, in this order. The event rules in `lib/access/rules`
 * say who sees which; the label of the state covers `status`. §6
 */
export const eventFacts = {
  fiatToCrypto: {
    ...money,
    ...onChain,
    walletAddress: { name: 'To the wallet', kind: 'wallet' },
    sendingWalletAddress: { name: 'From the wallet', kind: 'wallet' },
    'senderDetails.senderName': text('Sender'),
    'senderDetails.senderCountry': { name: 'Sender’s country', kind: 'country' },
    'senderDetails.accountDetails.iban': { name: 'Sender’s IBAN', kind: 'account-number' },
    'senderDetails.accountDetails.currency': text('Sender’s currency'),
    internalBankAccountId: { name: 'Paid into', kind: 'id' },
    linkedBankAccountUuid: { name: 'Linked account', kind: 'id' },
  },
  cryptoToFiat: {
    ...money,
    // `limitCurrency` explains the currency.
    limit: { name: 'Limit', kind: 'amount', currency: 'currencyCrypto' },
    ...onChain,
    sendingAddress: { name: 'From the wallet', kind: 'wallet' },
    'beneficiaryDetails.receiverName': text('Receiver'),
    'beneficiaryDetails.accountDetails.accountNumber': { name: 'Account number', kind: 'account-number' },
    'beneficiaryDetails.accountDetails.bankName': text('Bank'),
    'beneficiaryDetails.accountDetails.bankCode': text('Bank code'),
    'beneficiaryDetails.accountDetails.currency': text('Account’s currency'),
    remoteBankAccountUuid: { name: 'Remote account', kind: 'id' },
  },
  unblockBankAccount: {
    error: text('Error'),
    currency: text('Currency'),
    iban: { name: 'IBAN', kind: 'account-number' },
    bic: text('BIC'),
    account_number: { name: 'Account number', kind: 'account-number' },
    sort_code: text('Sort code'),
    swift_code: text('SWIFT code'),
    bank_name: text('Bank'),
    bank_code: text('Bank code'),
    bank_country: { name: 'Bank’s country', kind: 'country' },
    uuid: id('ID'),
  },
  linkedBankAccountProfile: linked,
  linkBankAccount: linked,
  otpNotification: {
    failureType: text('Failure'),
    emailAddress: text('E-mail'),
    diagnosticCode: text('The mail server said'),
    timestamp: { name: 'Bounced', kind: 'time' },
  },
  KYC: {},
  KYB: {},
  entityStatusUpdate: {},
  walletCreated: {
    walletAddress: { name: 'Wallet', kind: 'wallet' },
    chain: { name: 'Chain', kind: 'chain' },
  },
  AML: {},
  duplicateUser: { duplicateOf: { name: 'Duplicate of', kind: 'person' } },
  senderNameMismatch: {
    expectedName: text('Name expected'),
    senderName: text('Name received'),
  },
} as const satisfies Record<EventType, Readonly<Record<string, FactRow>>>

const rows: ReadonlyMap<string, readonly (readonly [path: string, row: FactRow])[]> = new Map(
  Object.entries(eventFacts).map(([type, facts]) => [type, Object.entries(facts)]),
)

/** The facts are read from the body as the role may see it; there are none when the role sees no body. */
export function factsOf({
  type,
  body,
}: {
  readonly type: string | null
  readonly body: string | null
}): readonly EventFact[] {
  const json = body === null ? null : parseJson(body)
  const data = json?.kind === 'parsed' && isJsonObject(json.value) ? json.value.get('data') : null
  if (!isJsonObject(data)) return []
  const chain = textAt(data, 'chain')
  return (rows.get(type ?? '') ?? []).flatMap(([path, { name, kind, currency }]) => {
    const value = textAt(data, path)
    return value === null
      ? []
      : [{ path, name, kind, value, chain, currency: currency ? textAt(data, currency) : null }]
  })
}

/** The event's own amounts say whether there was a refund. */
export function eventRefund(event: {
  readonly type: string | null
  readonly subType: string | null
  readonly body: string | null
  readonly flags: readonly string[]
}): Refund | null {
  if (!isDirection(event.type)) return null
  const given = new Map(factsOf(event).map((fact) => [fact.path, fact]))
  return refundOf({
    direction: event.type,
    step: event.subType,
    amountFiat: given.get('amountFiat')?.value.trim() ?? null,
    currencyFiat: given.get('amountFiat')?.currency ?? null,
    amountCrypto: given.get('amountCrypto')?.value.trim() ?? null,
    currencyCrypto: given.get('amountCrypto')?.currency ?? null,
    amountRefunded: given.get('amountRefunded')?.value.trim() ?? null,
    flags: event.flags,
  })
}

/** The value is a text, or the digits of a number as they came. Dots are no fact: the role may ask to reveal the value. */
function textAt(data: JsonObject, path: string): string | null {
  const value = path
    .split('.')
    .reduce<Json | undefined>((object, name) => (isJsonObject(object) ? object.get(name) : undefined), data)
  if (value instanceof JsonNumber) return value.digits
  return typeof value === 'string' && value !== '' && value !== '•••' ? value : null
}
