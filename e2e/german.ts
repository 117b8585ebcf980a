import { expect, type Page } from '@playwright/test'

/** What no German sentence holds. */
const english = /\b(the|your|you|and|with|sign in|this)\b/i

/** The page says that it is German, and nothing of it is English. */
export async function expectGerman(page: Page) {
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  // The host of the sandbox and the browser's name stand there in any language.
  expect(await page.locator('main').innerText()).not.toMatch(english)
}
