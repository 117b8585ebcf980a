import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { directions, stepsOf } from '#lib/deliveries/rules/steps.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { paymentPhase } from '#lib/transactions/rules/money.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { paidAmounts } from './paid-amounts.tsx'

/** The amount out has these labels: before the outcome, after success, and when it will never be paid. */
const words = {
  en: { ahead: 'Payout pending', going: 'On its way', done: 'Paid out', never: 'Planned payout' },
  de: { ahead: 'Auszuzahlen', going: 'Unterwegs', done: 'Ausgezahlt', never: 'Geplante Auszahlung' },
  es: { ahead: 'Por entregar', going: 'En camino', done: 'Entregado', never: 'Entrega prevista' },
  fr: { ahead: 'À verser', going: 'En route', done: 'Versé', never: 'Versement prévu' },
  pt: { ahead: 'A entregar', going: 'A caminho', done: 'Entregue', never: 'Entrega prevista' },
}
const phaseAt = (step: string) => {
  if (step === 'SUCCESS') return 'done'
  if (step.endsWith('_TRANSFER_ISSUED')) return 'going'
  return ['FAILED', 'REFUNDED', 'LIMIT_BREACHED'].includes(step) ? 'never' : 'ahead'
}

describe.each(directions.flatMap((direction) => stepsOf[direction].map((step) => ({ direction, step }))))(
  'at $direction $step (§3.2)',
  ({ direction, step }) => {
    const standing = { direction, step, conflict: false }

    it.each(languages)('customers read in %s what is true of the amount out', (language) => {
      const say = customerWords(language)
      expect(say(`amounts.payout.${paymentPhase(standing).payout}`)).toBe(words[language][phaseAt(step)])
    })

    it('staff read the same, marked in lists, without an exchange of money that was not paid', () => {
      const money = { amountFiat: '10', currencyFiat: 'EUR', amountCrypto: '11', currencyCrypto: 'USDC' }
      const [, out] = paidAmounts({ ...standing, ...money })
      const marked = renderToStaticMarkup(createElement('p', null, out.marked))
      expect(out.label).toBe(words.en[phaseAt(step)])
      expect(out.value).toBe(direction === 'cryptoToFiat' ? '10' : '11')
      expect(marked.includes('line-through')).toBe(phaseAt(step) === 'never')
      expect(marked.includes('text-muted')).toBe(phaseAt(step) !== 'done')
      expect(paymentPhase(standing).exchanged).toBe(['going', 'done'].includes(phaseAt(step)))
    })
  },
)
