import { describe, expect, it } from 'vitest'
import { envelopeOf } from '../../test/sample-deliveries.ts'
import { identifiersOf } from './identifier.ts'

describe('identifiersOf', () => {
  it('finds every id of a transaction, in lower case and without spaces, each once', () => {
    const found = identifiersOf(
      envelopeOf({
        type: 'fiatToCrypto',
        uuid: 'U-1',
        data: {
          transactionUuid: 'T-1',
          transactionHash: '0xABC',
          walletAddress: '0xDEF',
          sendingWalletAddress: '0xdef',
          internalBankAccountId: 'B-1',
          linkedBankAccountUuid: 'b-1',
          uuid: 'not-an-account-here',
          senderDetails: { accountDetails: { iban: 'ES91 2100 0418' } },
        },
      }),
    )
    expect(found).toEqual([
      { kind: 'transaction', value: 't-1' },
      { kind: 'hash', value: '0xabc' },
      { kind: 'wallet', value: '0xdef' },
      { kind: 'iban', value: 'es9121000418' },
      { kind: 'bank-account', value: 'b-1' },
      { kind: 'user', value: 'u-1' },
    ])
  })

  it('finds those of the other direction and of a bank account', () => {
    expect(
      identifiersOf(
        envelopeOf({
          type: 'cryptoToFiat',
          data: {
            sendingAddress: '0x1',
            remoteBankAccountUuid: 'r',
            beneficiaryDetails: { accountDetails: { accountNumber: '12 34' } },
          },
        }),
      ),
    ).toEqual([
      { kind: 'wallet', value: '0x1' },
      { kind: 'account-number', value: '1234' },
      { kind: 'bank-account', value: 'r' },
    ])
    expect(
      identifiersOf(
        envelopeOf({ type: 'unblockBankAccount', data: { uuid: 'a', iban: 'I', account_number: '9' } }),
      ),
    ).toEqual([
      { kind: 'iban', value: 'i' },
      { kind: 'account-number', value: '9' },
      { kind: 'bank-account', value: 'a' },
    ])
  })

  it('leaves out what is no id', () => {
    expect(
      identifiersOf(
        envelopeOf({ uuid: ' ', data: { transactionUuid: 5, transactionHash: 'x'.repeat(201) } }),
      ),
    ).toEqual([])
  })
})
