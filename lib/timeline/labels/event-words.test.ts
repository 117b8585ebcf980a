import { describe, expect, it } from 'vitest'
import { statesOf, stepReasons } from '#lib/deliveries/rules/event-states.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { reasonNames } from '#lib/transactions/labels/step-labels.ts'
import { eventLabel, eventWords } from './event-labels.ts'
import { reasonWords } from './event-transaction-words.ts'

/** The closed sets of the contract are copied here from §2.3, §3.2, §3.3 and §6. */
const contract: Readonly<Record<string, string>> = {
  fiatToCrypto: 'PENDING IN_PROGRESS CRYPTO_TRANSFER_ISSUED SUCCESS ON_HOLD FAILED REFUNDED',
  cryptoToFiat: 'PENDING IN_PROGRESS FIAT_TRANSFER_ISSUED SUCCESS ON_HOLD FAILED LIMIT_BREACHED REFUNDED',
  unblockBankAccount: 'ACTIVE WAITING_CREATION FAILED_CREATION DISABLED',
  linkedBankAccountProfile: 'ACTIVE WAITING_CREATION FAILED_CREATION DISABLED',
  linkBankAccount: 'ACTIVE CHECK_COMPLETED PENDING FAILED DISABLED',
  otpNotification: 'EMAIL_DELIVERY_FAILED',
}

describe('the words of events', () => {
  it('cover every type, and of each every state that the contract shows', () => {
    expect(Object.keys(eventWords).toSorted()).toEqual(eventTypes.toSorted())
    for (const [type, states] of Object.entries(contract))
      expect(
        Object.keys(Object.fromEntries(Object.entries(eventWords))[type] ?? {}).toSorted(),
        type,
      ).toEqual(states.split(' ').toSorted())
  })

  it.each(eventTypes.flatMap((type) => statesOf[type].map((state) => [type, state] as const)))(
    'of %s %s are a label, a tone, a sentence and who must act',
    (type, state) => {
      const { label, tone, meaning, next } = eventLabel({ type, subType: state, status: state })
      expect(label).not.toBe(state)
      expect(label).toMatch(/^[A-Z].*[a-z]/)
      expect(tone).toMatch(/^(wait|move|held|done|fail|back)$/)
      expect(meaning).toMatch(/^[A-Z].+\.$/)
      expect(next).toMatch(/^[A-Z].+\.$/)
      // The reader is support already.
      expect(next).not.toMatch(/support/i)
    },
  )

  it.each(stepReasons)('of the reason %s are a sentence and who must act', (reason) => {
    expect(reasonWords[reason].meaning).toMatch(/^[A-Z].+\.$/)
    expect(reasonWords[reason].next).toMatch(/^[A-Z].+\.$/)
    expect(reasonNames[reason]).not.toBe(reason)
  })
})
