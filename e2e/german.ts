import { expect, type Page } from '@playwright/test'

/** These English words never appear in a German sentence. */
const english = /\b(the|your|you|and|with|sign in|this)\b/i

/** The page declares German, and contains no English. */
export async function expectGerman(page: Page) {
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  // The sandbox's host and the browser's name are the same in every language.
  expect(await page.locator('main').innerText()).not.toMatch(english)
}
