import assert from 'node:assert/strict'
import { z } from 'zod'
import { type AllEvents, type Check, type CheckContext, overHttp } from '../kit/check-context.ts'
import { assertFields, requireEvents } from './events.checks.ts'

/** A row describes the data of its events, beside the fact that it is sent. */
const rows: Record<string, z.ZodType> = {
  '6.1-CRYPTO_TRANSFER_ISSUED': z.looseObject({ transactionHash: z.string(), amountCrypto: z.number() }),
  '6.1-ON_HOLD': z.looseObject({ status: z.string().startsWith('ON_HOLD') }),
  '6.2-FIAT_TRANSFER_ISSUED': z.looseObject({ amountFiat: z.number() }),
  '6.2-ON_HOLD': z.looseObject({ status: z.string().startsWith('ON_HOLD') }),
  '6.2-LIMIT_BREACHED': z
    .looseObject({ amountCrypto: z.number(), limit: z.number() })
    .refine(({ amountCrypto, limit }) => amountCrypto < limit, 'amountCrypto is below limit'),
}

const textSchema = z.string()
const uuidSchema = z.guid()
const amountSchema = z.number()

const SenderDetailsSchema = z.object({
  senderName: textSchema,
  senderCountry: textSchema,
  accountDetails: z.strictObject({ currency: textSchema, iban: textSchema }),
})

const FiatToCryptoSchema = z.object({
  status: textSchema,
  transactionUuid: uuidSchema,
  direction: z.literal('fiatToCrypto'),
  amountCrypto: amountSchema,
  amountFiat: amountSchema,
  amountRefunded: amountSchema,
  walletAddress: textSchema,
  transactionHash: textSchema,
  currencyFiat: textSchema,
  currencyCrypto: textSchema,
  fees: amountSchema,
  internalBankAccountId: uuidSchema,
  chain: textSchema,
  senderDetails: z.record(textSchema, z.unknown()),
  sendingWalletAddress: textSchema,
  linkedBankAccountUuid: textSchema,
})

const BeneficiaryDetailsSchema = z.object({
  receiverName: textSchema,
  accountDetails: z.strictObject({
    currency: textSchema,
    accountNumber: textSchema,
    bankCode: textSchema,
    bankName: textSchema,
  }),
})

const CryptoToFiatSchema = z.object({
  status: textSchema,
  transactionUuid: uuidSchema,
  direction: z.literal('cryptoToFiat'),
  amountCrypto: amountSchema,
  amountFiat: amountSchema,
  amountRefunded: amountSchema,
  transactionHash: textSchema,
  currencyFiat: textSchema,
  currencyCrypto: textSchema,
  fees: amountSchema,
  sendingAddress: textSchema,
  remoteBankAccountUuid: uuidSchema,
  chain: textSchema,
  limit: amountSchema,
  beneficiaryDetails: z.record(textSchema, z.unknown()),
})

const accountStatuses = ['ACTIVE', 'WAITING_CREATION', 'FAILED_CREATION', 'DISABLED']
export const linkedAccountStatuses = ['ACTIVE', 'CHECK_COMPLETED', 'PENDING', 'FAILED', 'DISABLED']
const fiatToCryptoStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'CRYPTO_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'REFUNDED',
]
const cryptoToFiatStatuses = [
  'PENDING',
  'IN_PROGRESS',
  'FIAT_TRANSFER_ISSUED',
  'SUCCESS',
  'ON_HOLD',
  'FAILED',
  'LIMIT_BREACHED',
  'REFUNDED',
]

/** All these statuses are sent, and no others (§3.2, §3.3). */
export const statusChecks: Check[] = [
  overHttp('3.2-fiat-to-crypto', ['control', 'receiver'], async ({ allEvents }) => {
    const sent = (await allEvents()).of('fiatToCrypto').map(({ subType }) => subType)
    assertSameSet(sent, fiatToCryptoStatuses)
  }),

  overHttp('3.2-crypto-to-fiat', ['control', 'receiver'], async ({ allEvents }) => {
    const sent = (await allEvents()).of('cryptoToFiat').map(({ subType }) => subType)
    assertSameSet(sent, cryptoToFiatStatuses)
  }),

  overHttp('3.2-moves-not-shown', ['control', 'receiver'], (world) =>
    takesAnyOrder(world, 'cryptoToFiat', ['SUCCESS', 'PENDING', 'SUCCESS']),
  ),

  overHttp('3.3-account-and-profile', ['control', 'receiver'], async ({ allEvents }) => {
    for (const type of ['unblockBankAccount', 'linkedBankAccountProfile'])
      assertSameSet(
        (await allEvents()).of(type).map(({ data }) => data.status),
        accountStatuses,
      )
  }),

  overHttp('3.3-linked-account', ['control', 'receiver'], async ({ allEvents }) => {
    const sent = (await allEvents()).of('linkBankAccount').map(({ data }) => data.status)
    assertSameSet(sent, linkedAccountStatuses)
  }),

  overHttp('3.3-moves-not-shown', ['control', 'receiver'], (world) =>
    takesAnyOrder(world, 'unblockBankAccount', ['DISABLED', 'WAITING_CREATION', 'DISABLED']),
  ),
]

export const assertSameSet = (sent: unknown[], named: string[]) =>
  assert.deepEqual([...new Set(sent)].sort(), named.toSorted(), 'the values sent')

/** The contract promises no order, so the service must neither refuse nor reorder any. */
async function takesAnyOrder(
  { startReceiver, createEndpoint, sendEvent }: CheckContext,
  type: string,
  steps: string[],
) {
  const receiver = await startReceiver()
  await createEndpoint({ url: receiver.url, subscribed_events: [type] })
  const { uuid } = await sendEvent({ type, subType: steps[0] ?? '' })
  for (const subType of steps.slice(1)) await sendEvent({ uuid, type, subType })
  const arrived = await receiver.collect((envelope) => envelope.uuid === uuid, steps.length)
  assert.deepEqual(arrived.map(({ subType }) => subType).sort(), steps.toSorted(), 'what arrived')
}

/** §6.1 and §6.2 define these rules. */
export const transactionChecks: Check[] = [
  ...rowChecks('6.1', 'fiatToCrypto', fiatToCryptoStatuses),
  ofGallery('6.1-data', (gallery) => assertFields(dataOf(gallery, 'fiatToCrypto'), FiatToCryptoSchema)),
  ofGallery('6.1-sender-details', (gallery) =>
    assertFields(
      dataOf(gallery, 'fiatToCrypto').map(({ senderDetails }) => senderDetails),
      SenderDetailsSchema,
    ),
  ),

  ...rowChecks('6.2', 'cryptoToFiat', cryptoToFiatStatuses),
  ofGallery('6.2-data', (gallery) => assertFields(dataOf(gallery, 'cryptoToFiat'), CryptoToFiatSchema)),
  ofGallery('6.2-beneficiary-details', (gallery) =>
    assertFields(
      dataOf(gallery, 'cryptoToFiat').map(({ beneficiaryDetails }) => beneficiaryDetails),
      BeneficiaryDetailsSchema,
    ),
  ),
  ofGallery('6.2-transaction-uuid', (gallery) => {
    assert.equal(new Set(gallery.transactions).size, gallery.transactions.length, 'one for each transaction')
    const events = [...gallery.of('fiatToCrypto'), ...gallery.of('cryptoToFiat')]
    const reported = new Set(events.map(({ data }) => data.transactionUuid))
    assert.deepEqual([...reported].sort(), gallery.transactions.toSorted(), 'the transactions told of')
  }),
]

function rowChecks(section: string, type: string, subTypes: string[]): Check[] {
  return subTypes.map((subType) => {
    const id = `${section}-${subType}`
    return ofGallery(id, (gallery) => {
      for (const { data } of requireEvents(gallery, type, subType)) {
        const issue = rows[id]?.safeParse(data).error?.issues[0]
        assert.equal(issue?.message, undefined, `data.${issue?.path.join('.')}`)
      }
    })
  })
}

function ofGallery(id: string, check: (gallery: AllEvents) => void): Check {
  return overHttp(id, ['control', 'receiver'], async ({ allEvents }) => check(await allEvents()))
}

const dataOf = (gallery: AllEvents, type: string) => requireEvents(gallery, type).map(({ data }) => data)
