import assert from 'node:assert/strict'
import { z } from 'zod'
import { type Check, overHttp } from '../check.ts'
import type { Gallery } from '../world.ts'
import { assertFields, requireEvents } from './events.checks.ts'
import { cryptoToFiatStatuses, fiatToCryptoStatuses } from './statuses.checks.ts'

/** What a row says of its events' data, besides its being sent. */
const rows: Record<string, z.ZodType> = {
  '6.1-CRYPTO_TRANSFER_ISSUED': z.looseObject({ transactionHash: z.string(), amountCrypto: z.number() }),
  '6.1-ON_HOLD': z.looseObject({ status: z.string().startsWith('ON_HOLD') }),
  '6.2-FIAT_TRANSFER_ISSUED': z.looseObject({ amountFiat: z.number() }),
  '6.2-ON_HOLD': z.looseObject({ status: z.string().startsWith('ON_HOLD') }),
  '6.2-LIMIT_BREACHED': z
    .looseObject({ amountCrypto: z.number(), limit: z.number() })
    .refine(({ amountCrypto, limit }) => amountCrypto < limit, 'amountCrypto is below limit'),
}

const text = z.string()
const uuid = z.guid()
const amount = z.number()

const SenderDetails = z.object({
  senderName: text,
  senderCountry: text,
  accountDetails: z.strictObject({ currency: text, iban: text }),
})

const FiatToCrypto = z.object({
  status: text,
  transactionUuid: uuid,
  direction: z.literal('fiatToCrypto'),
  amountCrypto: amount,
  amountFiat: amount,
  amountRefunded: amount,
  walletAddress: text,
  transactionHash: text,
  currencyFiat: text,
  currencyCrypto: text,
  fees: amount,
  internalBankAccountId: uuid,
  chain: text,
  senderDetails: z.record(text, z.unknown()),
  sendingWalletAddress: text,
  linkedBankAccountUuid: text,
})

const BeneficiaryDetails = z.object({
  receiverName: text,
  accountDetails: z.strictObject({ currency: text, accountNumber: text, bankCode: text, bankName: text }),
})

const CryptoToFiat = z.object({
  status: text,
  transactionUuid: uuid,
  direction: z.literal('cryptoToFiat'),
  amountCrypto: amount,
  amountFiat: amount,
  amountRefunded: amount,
  transactionHash: text,
  currencyFiat: text,
  currencyCrypto: text,
  fees: amount,
  sendingAddress: text,
  remoteBankAccountUuid: uuid,
  chain: text,
  limit: amount,
  beneficiaryDetails: z.record(text, z.unknown()),
})

/** §6.1, §6.2 */
export const transactionChecks: Check[] = [
  ...rowChecks('6.1', 'fiatToCrypto', fiatToCryptoStatuses),
  ofGallery('6.1-data', (gallery) => assertFields(dataOf(gallery, 'fiatToCrypto'), FiatToCrypto)),
  ofGallery('6.1-sender-details', (gallery) =>
    assertFields(
      dataOf(gallery, 'fiatToCrypto').map(({ senderDetails }) => senderDetails),
      SenderDetails,
    ),
  ),

  ...rowChecks('6.2', 'cryptoToFiat', cryptoToFiatStatuses),
  ofGallery('6.2-data', (gallery) => assertFields(dataOf(gallery, 'cryptoToFiat'), CryptoToFiat)),
  ofGallery('6.2-beneficiary-details', (gallery) =>
    assertFields(
      dataOf(gallery, 'cryptoToFiat').map(({ beneficiaryDetails }) => beneficiaryDetails),
      BeneficiaryDetails,
    ),
  ),
  ofGallery('6.2-transaction-uuid', (gallery) => {
    assert.equal(new Set(gallery.transactions).size, gallery.transactions.length, 'one for each transaction')
    const events = [...gallery.of('fiatToCrypto'), ...gallery.of('cryptoToFiat')]
    const told = new Set(events.map(({ data }) => data.transactionUuid))
    assert.deepEqual([...told].sort(), gallery.transactions.toSorted(), 'the transactions told of')
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

function ofGallery(id: string, look: (gallery: Gallery) => void): Check {
  return overHttp(id, ['control', 'receiver'], async ({ gallery }) => look(await gallery()))
}

const dataOf = (gallery: Gallery, type: string) => requireEvents(gallery, type).map(({ data }) => data)
