import type { Account } from '../service/accounts.ts'
import type { Envelope } from '../state/event-types.ts'
import type { SeededRandom } from '../state/ids.ts'
import { createIban } from './iban.ts'

/** The bodies of events need these fields of a user. */
export type EventPerson = Pick<
  Account,
  'uuid' | 'email' | 'first_name' | 'last_name' | 'country' | 'target_address'
>

/** A person's transactions use these accounts. A transaction gets its own account where none is known. */
export interface PersonAccounts {
  readonly own?: string | undefined
  readonly linked?: string | undefined
}

/** A step changes the status of one transaction: its subType, and data.status where that says more. */
export interface TransactionStep {
  readonly subType: string
  readonly status?: string
}

/**
 * The bodies describe one fiat to stablecoin transaction, step by step (§6.1). A body leaves out what is not known yet, as
 * recorded deliveries do: amountCrypto, transactionHash, chain and currencyCrypto come with the transfer.
 */
export function fiatToCrypto(
  person: EventPerson,
  random: SeededRandom,
  { senderName = fullName(person), accounts = {} }: { senderName?: string; accounts?: PersonAccounts } = {},
) {
  const money = createMoney(random)
  const early = {
    transactionUuid: random.uuid(),
    direction: 'fiatToCrypto',
    amountFiat: money.amountFiat,
    walletAddress: person.target_address ?? address(random),
    currencyFiat: money.currencyFiat,
    internalBankAccountId: accounts.own ?? random.uuid(),
    senderDetails: {
      senderName,
      senderCountry: person.country,
      accountDetails: { currency: money.currencyFiat, iban: createIban(person.country, random) },
    },
    linkedBankAccountUuid: accounts.linked ?? random.uuid(),
  }
  const transfer = {
    amountCrypto: money.amountCrypto,
    transactionHash: `0x${random.hex(64)}`,
    currencyCrypto: money.currencyCrypto,
    fees: money.fees,
    chain: money.chain,
    sendingWalletAddress: address(random),
  }
  let issued = false
  return {
    transactionUuid: early.transactionUuid,
    next({ subType, status }: TransactionStep): Envelope {
      issued ||= subType === 'CRYPTO_TRANSFER_ISSUED'
      const refund = subType === 'REFUNDED' && { amountRefunded: money.amountFiat }
      const data = { status: status ?? statusOf(subType), ...early, ...(issued && transfer), ...refund }
      return { type: 'fiatToCrypto', subType, uuid: person.uuid, data }
    },
  }
}

/**
 * The stablecoin amount is known from the start, amountFiat from FIAT_TRANSFER_ISSUED on, and limit once it is breached
 * (§6.2).
 */
export function cryptoToFiat(
  person: EventPerson,
  random: SeededRandom,
  { belowLimit = false, accounts = {} }: { belowLimit?: boolean; accounts?: PersonAccounts } = {},
) {
  const money = createMoney(random)
  const limit = random.pick([5, 10, 20])
  const early = {
    transactionUuid: random.uuid(),
    direction: 'cryptoToFiat',
    amountCrypto: belowLimit ? round(limit * (0.1 + random.fraction() * 0.8), 2) : money.amountCrypto,
    transactionHash: `0x${random.hex(64)}`,
    currencyFiat: money.currencyFiat,
    currencyCrypto: money.currencyCrypto,
    sendingAddress: person.target_address ?? address(random),
    remoteBankAccountUuid: accounts.linked ?? random.uuid(),
    chain: money.chain,
    beneficiaryDetails: {
      receiverName: fullName(person),
      accountDetails: {
        currency: money.currencyFiat,
        accountNumber: random.digits(8),
        bankCode: `0000${random.digits(2)}`,
        bankName: 'Test Bank',
      },
    },
  }
  let issued = false
  let breached = false
  return {
    transactionUuid: early.transactionUuid,
    next({ subType, status }: TransactionStep): Envelope {
      issued ||= subType === 'FIAT_TRANSFER_ISSUED'
      breached ||= belowLimit && subType === 'LIMIT_BREACHED'
      const fiat = issued && { amountFiat: money.amountFiat, fees: money.fees }
      const breach = breached && { limit }
      const refund = subType === 'REFUNDED' && { amountRefunded: early.amountCrypto }
      const data = { status: status ?? statusOf(subType), ...early, ...fiat, ...breach, ...refund }
      return { type: 'cryptoToFiat', subType, uuid: person.uuid, data }
    },
  }
}

/** data.status follows the subType, as recorded where known. ASSUMED: the others. */
const statusOf = (subType: string) => statuses.get(subType) ?? subType

const statuses = new Map([
  ['IN_PROGRESS', 'OUTSIDE_TRANSFER_IN_REVIEW'],
  ['SUCCESS', 'PROCESS_COMPLETED'],
  ['FAILED', 'PROCESS_FAILED'],
])

/** ASSUMED: which currencies and chains; fees are between 0.2 and 1 % of the fiat amount, in its currency. */
function createMoney(random: SeededRandom) {
  const currencyFiat = random.pick(['EUR', 'EUR', 'GBP', 'USD'])
  const amountFiat = round(random.pick([5, 40, 250, 1_500, 9_000]) * (0.5 + random.fraction()), 2)
  const fees = round(amountFiat * (0.002 + random.fraction() * 0.008), 4)
  const rate = (rates[currencyFiat] ?? 1) * (0.99 + random.fraction() * 0.02)
  return {
    currencyFiat,
    amountFiat,
    fees,
    amountCrypto: round((amountFiat - fees) * rate, 6),
    currencyCrypto: random.pick(['usdc', 'usdc', 'usdt']),
    chain: random.pick(['polygon', 'base', 'arbitrum', 'ethereum', 'optimism']),
  }
}

const rates: Record<string, number> = { EUR: 1.08, GBP: 1.27, USD: 1 }

const round = (amount: number, places: number) => Number(amount.toFixed(places))

export const fullName = (person: EventPerson) => `${person.first_name} ${person.last_name}`

export const address = (random: SeededRandom) => `0x${random.hex(40)}`
