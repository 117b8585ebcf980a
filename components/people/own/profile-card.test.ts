import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { OwnAccountView } from '#lib/people/own/get-profile.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { clientMessages, customerWords } from '#lib/words/sentences.ts'
import { OwnAccounts } from './profile-card.tsx'

it.each(languages)('says in %s what will stand where no account is yet', (language) => {
  const words = customerWords(language)
  expect(renderToStaticMarkup(createElement(OwnAccounts, { words, accounts: [] }))).toContain(
    words('account.noAccountsYet'),
  )
})

const account = {
  uuid: '7a0c0a52-6f43-4f0e-9a51-0a4f4f4c1d11',
  currency: 'GBP',
  status: 'ACTIVE',
  iban: 'GB29NWBK60161331926819',
  accountNumber: '31926819',
  sortCode: '60-16-13',
  bic: 'NWBKGB2L',
  swiftCode: 'NWBKGB2LXXX',
  bankCode: 'NWBK',
  bankName: 'A Bank',
  bankCountry: 'GB',
}
const accountIn = (language: (typeof languages)[number], given: Partial<OwnAccountView> = {}) => {
  const words = customerWords(language)
  const children = createElement(OwnAccounts, { words, accounts: [{ ...account, ...given }] })
  return renderToStaticMarkup(
    createElement(WordsProvider, { language, messages: clientMessages(language, ['ui']), children }),
  ).replaceAll(/<[^>]+>/g, '')
}

it.each(languages)('shows in %s every number of §6.3 that an account has, beside an IBAN too', (language) => {
  const shown = accountIn(language)
  for (const part of ['GB29 NWBK', '3192 6819', '60-16-13', 'NWBKGB2L', 'NWBKGB2LXXX', 'NWBK', 'A Bank'])
    expect(shown).toContain(part)
  for (const name of [
    'iban',
    'accountNumber',
    'sortCode',
    'bic',
    'swiftCode',
    'bank',
    'bankCode',
    'country',
  ] as const)
    expect(shown).toContain(customerWords(language)(`account.${name}`))
})

it('shows no name of a number that the account has not', () => {
  const shown = accountIn('en', { swiftCode: null, bankCode: null, accountNumber: null })
  expect(shown).not.toMatch(/SWIFT|Bank code|Account number/)
})
