import { z } from '@hono/zod-openapi'
import type { eventTypes } from '../state/event-types.ts'

/*
 * The document has one schema per event type, with the fields of §6, so that generated clients can parse deliveries.
 * ASSUMED: which fields are always there, and the types of §6.7, which the contract does not show.
 */

const text = (example: string) => z.string().openapi({ example })
const amount = (example: number) => z.number().openapi({ example })

const wallet = text('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045')
const iban = text('GB14TEST60161331926819')
const hash = text('0x5f2c1d9e8b7a6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b')

/**
 * The schema describes one event type. `name` is the component’s name without its ending. The contract lists the subTypes of
 * §6.1 to §6.6; the others are texts, each with an example.
 */
function event<Type extends (typeof eventTypes)[number], Data extends z.ZodType>(
  type: Type,
  name: string,
  description: string,
  subTypes: string[] | string,
  data: Data,
) {
  return z
    .object({
      type: z.literal(type),
      subType: typeof subTypes === 'string' ? text(subTypes) : oneOf(subTypes),
      uuid: z.uuid().describe('The user or the company that it is about (§2.4).'),
      data: data.openapi(`${name}Data`),
    })
    .openapi(`${name}Event`, { description })
}

const oneOf = (subTypes: string[]) =>
  z.enum(subTypes).openapi({ example: subTypes.includes('SUCCESS') ? 'SUCCESS' : subTypes[0] })

const transaction = {
  status: text('PROCESS_COMPLETED').describe('Says more than subType; while ON_HOLD, why.'),
  transactionUuid: z.uuid(),
  amountFiat: amount(250.5).optional(),
  amountCrypto: amount(269.84).optional(),
  amountRefunded: amount(250.5).optional(),
  transactionHash: hash.optional(),
  currencyFiat: text('EUR').optional(),
  currencyCrypto: text('usdc').optional(),
  fees: amount(1.25).optional(),
  chain: text('polygon').optional(),
}

const fiatToCrypto = z.object({
  ...transaction,
  direction: z.literal('fiatToCrypto'),
  walletAddress: wallet.optional(),
  sendingWalletAddress: wallet.optional(),
  internalBankAccountId: z.uuid().optional(),
  linkedBankAccountUuid: text('5c1f0a37-8d0e-4c59-9d55-0f6a3b7c2e18').optional(),
  senderDetails: z
    .object({
      senderName: text('Ana Ruiz').optional(),
      senderCountry: text('ES').optional(),
      accountDetails: z
        .object({ currency: text('EUR').optional(), iban: iban.optional() })
        .openapi('SenderAccount')
        .optional(),
    })
    .openapi('SenderDetails')
    .optional(),
})

const cryptoToFiat = z.object({
  ...transaction,
  direction: z.literal('cryptoToFiat'),
  sendingAddress: wallet.optional(),
  remoteBankAccountUuid: z.uuid().optional(),
  limit: amount(10).optional(),
  beneficiaryDetails: z
    .object({
      receiverName: text('Ana Ruiz').optional(),
      accountDetails: z
        .object({
          currency: text('EUR').optional(),
          accountNumber: text('31926819').optional(),
          bankCode: text('000012').optional(),
          bankName: text('Test Bank').optional(),
        })
        .openapi('BeneficiaryAccount')
        .optional(),
    })
    .openapi('BeneficiaryDetails')
    .optional(),
})

const creation = z.enum(['ACTIVE', 'WAITING_CREATION', 'FAILED_CREATION', 'DISABLED'])
const failure = text('The bank did not open the account').optional().describe('Why it failed.')

const fiatAccount = z.object({
  uuid: text('7d9b1c54-2f3e-4a68-8b10-94c5d6e7f801'),
  status: creation,
  currency: text('GBP').optional(),
  bank_country: text('GB').optional(),
  iban: iban.optional(),
  bic: text('TESTGB00').optional(),
  account_number: text('31926819').optional(),
  sort_code: text('601613').optional(),
  swift_code: text('TESTGB00').optional(),
  bank_code: text('TEST').optional(),
  bank_name: text('Test Bank').optional(),
  error: failure,
})

const profile = z.object({
  uuid: text('7d9b1c54-2f3e-4a68-8b10-94c5d6e7f801'),
  status: creation,
  error: failure,
})

const linkedAccount = z.object({
  uuid: text('7d9b1c54-2f3e-4a68-8b10-94c5d6e7f801'),
  status: z.enum(['ACTIVE', 'CHECK_COMPLETED', 'PENDING', 'FAILED', 'DISABLED']),
  error: failure,
})

const bouncedMail = z.object({
  failureType: text('Permanent'),
  emailAddress: text('someone@demo.invalid'),
  diagnosticCode: text('smtp; 550 5.1.1 the e-mail account does not exist').optional(),
  timestamp: z.iso.datetime(),
})

/** The status is open-ended, because the contract shows none. */
const assumedStatus = (example: string) => z.object({ status: text(example) })

const transactionSubTypes = (issued: string, ...more: string[]) => [
  'PENDING',
  'IN_PROGRESS',
  issued,
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  ...more,
  'REFUNDED',
]

/** `EventSchema` covers every type of §2.3, told apart by `type`. */
export const EventSchema = z
  .discriminatedUnion('type', [
    event(
      'fiatToCrypto',
      'FiatToCrypto',
      '§6.1. Fiat to stablecoin. What is not known yet is absent.',
      transactionSubTypes('CRYPTO_TRANSFER_ISSUED'),
      fiatToCrypto,
    ),
    event(
      'cryptoToFiat',
      'CryptoToFiat',
      '§6.2. Stablecoin to fiat. What is not known yet is absent.',
      transactionSubTypes('FIAT_TRANSFER_ISSUED', 'LIMIT_BREACHED'),
      cryptoToFiat,
    ),
    event('KYC', 'Kyc', '§6.7. ASSUMED.', 'statusUpdate', assumedStatus('FULL_USER')),
    event('KYB', 'Kyb', '§6.7. ASSUMED.', 'statusUpdate', assumedStatus('KYB_PASSED')),
    event('AML', 'Aml', '§6.7. ASSUMED.', 'statusUpdate', assumedStatus('PASSED')),
    event(
      'unblockBankAccount',
      'FiatAccount',
      '§6.3. The status of a stablecoin fiat account changed.',
      ['statusUpdate'],
      fiatAccount,
    ),
    event('entityStatusUpdate', 'EntityStatus', '§6.7. ASSUMED.', 'statusUpdate', assumedStatus('SUSPENDED')),
    event(
      'walletCreated',
      'WalletCreated',
      '§6.7. ASSUMED.',
      'WALLET_CREATED',
      z.object({ walletAddress: wallet, chain: text('polygon') }),
    ),
    event(
      'linkedBankAccountProfile',
      'LinkedAccountProfile',
      '§6.4. The profile that linked bank accounts need changed.',
      ['statusUpdate'],
      profile,
    ),
    event(
      'linkBankAccount',
      'LinkedAccount',
      '§6.5. The status of a linked bank account changed.',
      ['statusUpdate'],
      linkedAccount,
    ),
    event(
      'duplicateUser',
      'DuplicateUser',
      '§6.7. ASSUMED.',
      'DUPLICATE_USER',
      z.object({ duplicateOf: z.uuid() }),
    ),
    event(
      'senderNameMismatch',
      'SenderNameMismatch',
      '§6.7. ASSUMED.',
      'SENDER_NAME_MISMATCH',
      z.object({
        transactionUuid: z.uuid(),
        senderName: text('Another Ruiz'),
        expectedName: text('Ana Ruiz'),
      }),
    ),
    event(
      'otpNotification',
      'OtpNotification',
      '§6.6. The mail with a one-time password bounced.',
      ['EMAIL_DELIVERY_FAILED'],
      bouncedMail,
    ),
  ])
  .openapi('Event', { description: '§2.4, §6. What a delivery carries, told apart by `type`.' })
