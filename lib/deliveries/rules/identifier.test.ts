import { describe, expect, it } from 'vitest'
import { envelopeOf } from '../../../test/sample-deliveries.ts'
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
    expect(found).toEqual(['t-1', '0xabc', '0xdef', 'b-1', 'u-1', '=es9121000418='])
  })

  it('finds the ids of the other direction and of a bank account', () => {
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
    ).toEqual(['0x1', 'r', '=1234='])
    expect(
      identifiersOf(
        envelopeOf({ type: 'unblockBankAccount', data: { uuid: 'a', iban: 'I', account_number: '9' } }),
      ),
    ).toEqual(['a', '=i=', '=9='])
  })

  it('removes the mark of account numbers from a sender’s text', () => {
    expect(identifiersOf(envelopeOf({ uuid: '=A=', data: { iban: ' =DE 89= ' } }))).toEqual(['a', '=de89='])
  })

  it('finds an account number and the id of an account as a number as it does as a text', () => {
    const bodies = (value: string) => [
      `{"type":"unblockBankAccount","data":{"uuid":"a","account_number":${value}}}`,
      `{"type":"fiatToCrypto","data":{"senderDetails":{"accountDetails":{"accountNumber":${value}}}}}`,
      `{"type":"cryptoToFiat","data":{"beneficiaryDetails":{"accountDetails":{"accountNumber":${value}}}}}`,
      `{"data":{"internalBankAccountId":${value}}}`,
      `{"data":{"linkedBankAccountUuid":${value},"remoteBankAccountUuid":${value}}}`,
    ]
    const found = (value: string) => bodies(value).map((body) => identifiersOf(envelopeOf(body)))
    for (const digits of ['31926819', '9', '9007199254740993', '1'.repeat(40)]) {
      expect(found(digits)).toEqual(found(`"${digits}"`))
      expect(found(digits).flat().join(' ')).toContain(digits)
    }
    for (const no of ['-31926819', '3.5', '3e7', '1'.repeat(41), 'true', '[31926819]', 'null'])
      expect(found(no), no).toEqual(found('""'))
  })

  it('leaves out what is no id', () => {
    expect(
      identifiersOf(
        envelopeOf({ uuid: ' ', data: { transactionUuid: 5, transactionHash: 'x'.repeat(201) } }),
      ),
    ).toEqual([])
  })
})
