import { sandboxUrl } from './addresses.ts'
import { expect, expectWhole, test } from './test.ts'

test('the console keeps its place, says how far a play is, and leads to it in the dashboard', async ({
  page,
}) => {
  test.slow()
  await page.goto(`${sandboxUrl}/`)
  const play = page.getByRole('button', { name: 'Play: Success (crypto-to-fiat)' })
  await play.scrollIntoViewIfNeeded()
  await page.getByLabel('Pace').selectOption('0')
  await play.scrollIntoViewIfNeeded()
  const before = await page.evaluate(() => scrollY)
  expect(before).toBeGreaterThan(200)
  await play.click()
  await page.waitForURL(/played=/)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(before)
  await expect(page.getByRole('status')).toContainText(/\d of 4 delivered/)
  // The console looks every 2 s: if that broke its own policy, the browser would complain.
  await page.waitForTimeout(2_500)
  const link = page.getByRole('status').getByRole('link', { name: 'Open in dashboard' })
  expect(await link.getAttribute('href')).toMatch(/\/go\/[0-9a-f-]{36}$/)
  await expectWhole(page, 'console-played')
})

test('the receiver takes what is sent to it, or fails on request', async ({ page }) => {
  test.slow()
  const receiver = `${sandboxUrl}/receiver`
  const deliver = async (subType: string) => {
    const body = JSON.stringify({ type: 'KYC', subType, uuid: crypto.randomUUID(), data: {} })
    const headers = { authorization: 'API-Key not-known' }
    return (await fetch(receiver, { method: 'POST', headers, body })).status
  }
  await page.goto(receiver)
  // A try before this one may have left it failing.
  await page.getByRole('button', { name: '200, taken' }).click()
  await expect(page.getByText('200 to everything')).toBeVisible()
  expect(await deliver('taken')).toBe(200)
  await expect(page.locator('details').filter({ hasText: 'taken' }).first()).toBeVisible()
  await page.getByRole('button', { name: '500, failed' }).click()
  await expect(page.getByText('Every delivery fails and is tried again')).toBeVisible()
  expect(await deliver('refused')).toBe(500)
  await expect(page.locator('details').filter({ hasText: 'refused' }).first()).toBeVisible()
  await expectWhole(page, 'console-receiver')
  await page.getByRole('button', { name: '200, taken' }).click()
  await expect(page.getByText('200 to everything')).toBeVisible()
})
