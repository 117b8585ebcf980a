import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { languages } from '#lib/platform/rules/language.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { NoSuchPage, noSuchPageWords } from './no-such-page.tsx'

const html = (language: (typeof languages)[number], isStaff: boolean) =>
  renderToStaticMarkup(
    createElement(NoSuchPage, { words: noSuchPageWords(customerWords(language)), language, isStaff }),
  )

it('customers read in their language that there is no such page, and nothing about staff', () => {
  const all = languages.map((language) => html(language, false))
  expect(new Set(all.map((page) => /<h1[^>]*>(.*?)<\/h1>/.exec(page)?.[1])).size).toBe(languages.length)
  for (const [n, page] of all.entries()) {
    expect(page).toContain(`lang="${languages[n]}"`)
    expect(page).not.toContain('/go#')
  }
  expect(html('de', false)).toContain('Diese Seite gibt es nicht')
})

it('staff read how to open a transaction by its id', () => {
  expect(html('en', true)).toContain('/go#')
})
