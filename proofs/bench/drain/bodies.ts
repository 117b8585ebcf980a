import crypto from 'node:crypto'

/** Transactions under way at once: all take their first step, then all their second, and so on. */
const concurrentTransactions = 500

const steps = [
  ['PENDING', 'PENDING'],
  ['IN_PROGRESS', 'OUTSIDE_TRANSFER_IN_REVIEW'],
  ['CRYPTO_TRANSFER_ISSUED', 'CRYPTO_TRANSFER_ISSUED'],
  ['SUCCESS', 'PROCESS_COMPLETED'],
] as const

/** Deliveries come in groups of so many, in which each of their transactions takes all its steps. */
export const deliveriesPerGroup = concurrentTransactions * steps.length

/** The body of delivery number `n`, with every field that such a one has. §6.1, and `amountCrypto` from the third step on. */
export function transactionBody(n: number): Buffer {
  const group = Math.floor(n / deliveriesPerGroup)
  const stepNumber = Math.floor((n % deliveriesPerGroup) / concurrentTransactions)
  const transaction = group * concurrentTransactions + (n % concurrentTransactions)
  const [subType, status] = steps[stepNumber] ?? steps[0]
  const user = transaction % 10_007
  const cents = 500 + Number.parseInt(digest('amount', transaction).slice(0, 5), 16)
  const isIssued = stepNumber >= 2
  return Buffer.from(
    JSON.stringify({
      type: 'fiatToCrypto',
      subType,
      uuid: uuidOf('user', user),
      data: {
        status,
        transactionUuid: uuidOf('transaction', transaction),
        direction: 'fiatToCrypto',
        ...(isIssued ? { amountCrypto: Math.round(cents * 1.0731 * 1e4) / 1e6 } : {}),
        amountFiat: cents / 100,
        walletAddress: `0x${(digest('wallet', user) + digest('rest', user)).slice(0, 40)}`,
        ...(isIssued
          ? { transactionHash: `0x${digest('hash', transaction)}${digest('end', transaction)}` }
          : {}),
        currencyFiat: 'EUR',
        ...(isIssued ? { currencyCrypto: 'usdc' } : {}),
        fees: Math.round(cents / 4) / 100,
        internalBankAccountId: uuidOf('account', user),
        ...(isIssued ? { chain: 'polygon' } : {}),
        senderDetails: {
          senderName: `Sender Number ${user}`,
          senderCountry: 'ES',
          accountDetails: { currency: 'EUR', iban: ibanOf(user) },
        },
      },
    }),
  )
}

const digest = (what: string, n: number) => crypto.hash('md5', `${what}:${n}`)

const uuidOf = (what: string, n: number) =>
  digest(what, n).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5')

function ibanOf(user: number): string {
  const account = String(BigInt(`0x${digest('iban', user)}`) % 10n ** 20n).padStart(20, '0')
  // Two check digits over the account, then "ES00" in digits.
  const check = 98n - (BigInt(`${account}142800`) % 97n)
  return `ES${String(check).padStart(2, '0')}${account}`
}
