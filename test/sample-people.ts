import crypto from 'node:crypto'

/** A test person has an invented value of every personal kind. */
export interface TestPerson {
  readonly userUuid: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly targetAddress: string
  readonly iban: string
  readonly account: string
  readonly accountNumber: string
  readonly linked: string
  readonly hash: string
  readonly number: string
  readonly transactions: readonly string[]
}

const digits = (count: number) => Array.from({ length: count }, () => crypto.randomInt(10)).join('')
export const hex = (bytes: number) => crypto.randomBytes(bytes).toString('hex')

export const aPerson = (): TestPerson => ({
  userUuid: crypto.randomUUID(),
  email: `Mail.${hex(5)}@demo.test`,
  firstName: `First${hex(4)}`,
  lastName: `Last${hex(4)}`,
  targetAddress: `0x${hex(20)}`,
  iban: `GB${digits(20)}`,
  account: crypto.randomUUID(),
  accountNumber: digits(12),
  linked: crypto.randomUUID(),
  hash: `0x${hex(32)}`,
  number: `KD-${hex(5)}`,
  transactions: [crypto.randomUUID(), crypto.randomUUID()],
})

/** The values identify the person. Ids of transactions are left out, since erasure keeps amounts. */
export const valuesOf = ({ transactions: _, ...values }: TestPerson) => Object.values(values)

/** The bodies are deliveries of every kind about this person. */
export function bodiesOf(person: TestPerson): object[] {
  const { userUuid: uuid, iban, account, accountNumber, linked, hash, targetAddress, email } = person
  const name = `${person.firstName} ${person.lastName}`
  const [first = '', second = ''] = person.transactions
  const fiat = {
    transactionUuid: first,
    direction: 'fiatToCrypto',
    amountFiat: 12.34,
    currencyFiat: 'EUR',
    walletAddress: targetAddress,
    internalBankAccountId: account,
    senderDetails: { senderName: name, senderCountry: 'ES', accountDetails: { currency: 'EUR', iban } },
    linkedBankAccountUuid: linked,
  }
  const steps = ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'].map((subType, index) => ({
    type: 'fiatToCrypto',
    subType,
    uuid: index === 1 ? uuid.toUpperCase() : uuid,
    data: {
      status: subType,
      ...fiat,
      ...(index > 1 && { amountCrypto: 13.5, transactionHash: hash, chain: 'base' }),
    },
  }))
  const beneficiaryDetails = { receiverName: name, accountDetails: { accountNumber, bankName: 'A Bank' } }
  const out = {
    transactionUuid: second,
    direction: 'cryptoToFiat',
    amountCrypto: 5,
    sendingAddress: targetAddress,
  }
  const about = (type: string, subType: string, data: object) => ({ type, subType, uuid, data })
  return [
    ...steps,
    about('cryptoToFiat', 'PENDING', { ...out, beneficiaryDetails }),
    about('senderNameMismatch', 'MISMATCH', { transactionUuid: first, senderName: name, expectedName: name }),
    about('unblockBankAccount', 'statusUpdate', {
      uuid: account,
      iban,
      account_number: accountNumber,
      status: 'ACTIVE',
    }),
    about('unblockBankAccount', 'statusUpdate', { uuid: account, iban, status: 'DISABLED' }),
    about('linkBankAccount', 'statusUpdate', {
      uuid: linked,
      status: 'FAILED',
      error: `${name} has no account`,
    }),
    about('KYC', 'statusUpdate', { status: 'FULL_USER', applicant: { name, email, born: '1990-01-02' } }),
    about('AML', 'statusUpdate', { status: 'PASSED', notes: [`${name} is fine`] }),
    about('walletCreated', 'WALLET_CREATED', { walletAddress: targetAddress, chain: 'base' }),
    about('otpNotification', 'EMAIL_DELIVERY_FAILED', {
      emailAddress: email,
      diagnosticCode: `550 <${email}>`,
    }),
    about('newType', 'x', { [email]: name }),
  ]
}
