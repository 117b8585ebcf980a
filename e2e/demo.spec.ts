import { stateOf } from './people.ts'
import { expect, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

test('from “what does a hold look like?” to its page it is two acts', async ({ page }) => {
  await page.goto('/')
  await page
    .getByRole('navigation', { name: 'What needs attention' })
    .getByRole('link', { name: /^On hold/ })
    .click()
  await page.waitForURL(/look=held/)
  // Another test may briefly have a transaction of its own before the demo's eleven.
  await page.locator('main a[data-row]').nth(3).click()
  await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/held/i)
})
