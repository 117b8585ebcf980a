import { beforeAll, expect, test } from 'vitest'
import { mostKb, mostKbWithWallets, withWallets } from '../e2e/page-weight.ts'
import { type PageScripts, scriptsOfEveryPage } from './scripts-of-page.ts'

let pages: PageScripts[]
beforeAll(() => {
  // Only development has /design.
  pages = scriptsOfEveryPage().filter(({ page }) => page !== '/design')
})

test(`a page fetches at most ${mostKb} KB of scripts beyond an empty one, and at most ${mostKbWithWallets} where wallets are`, () => {
  expect(pages.length).toBeGreaterThan(30)
  const over = pages.filter(({ page, kb }) => kb > (mayHoldWallets(page) ? mostKbWithWallets : mostKb))
  expect(over.map(({ page, kb }) => `${page} ${kb.toFixed(1)} KB`)).toEqual([])
})

test('signing in and signing up hold the libraries of wallets, and no other page does', () => {
  const holding = pages.filter(({ wallets }) => wallets).map(({ page }) => addressOf(page))
  expect(holding.toSorted()).toEqual([...withWallets].toSorted())
})

const mayHoldWallets = (page: string) => withWallets.has(addressOf(page))

/** Groups of pages are no part of the address. */
const addressOf = (page: string) => page.replaceAll(/\/\([^)]+\)/g, '')
