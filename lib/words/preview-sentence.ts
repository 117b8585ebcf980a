import 'server-only'
import compile from 'icu-minify/compile'
import { parseDecimal } from '#lib/platform/rules/decimal.ts'
import type { Language } from '#lib/platform/rules/language.ts'
import { formatSpan } from './labels/format-span.ts'
import { formatMoney } from './labels/money.ts'
import { wordsOf } from './labels/translate.ts'

/** A sentence as a customer would read it, with amounts made up for the example. It must have been checked. */
export function previewSentence(language: Language, key: string, text: string): string {
  const fiat = amount('255.86', 'EUR', language)
  const coins = amount('260.5', 'USDC', language)
  const selling = key.startsWith('steps.cryptoToFiat.')
  const example: Readonly<Record<string, string>> = {
    given: selling ? coins : fiat,
    got: selling ? fiat : coins,
    duration: formatSpan(48, language),
    link: 'https://verify.example',
  }
  const words = wordsOf<{ readonly sentence: '{given}{got}{duration}{link}' }>(language, {
    sentence: compile(text),
  })
  return words('sentence', { given: '', got: '', duration: '', link: '', ...example })
}

function amount(digits: string, currency: string, language: Language): string {
  const decimal = parseDecimal(digits)
  return decimal === null ? digits : formatMoney(decimal, currency, language)
}
