import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { languages } from '#lib/platform/rules/language.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { OwnAccounts } from './profile-card.tsx'

it.each(languages)('says in %s what will stand where no account is yet', (language) => {
  const words = customerWords(language)
  expect(renderToStaticMarkup(createElement(OwnAccounts, { words, accounts: [] }))).toContain(
    words('account.noAccountsYet'),
  )
})
