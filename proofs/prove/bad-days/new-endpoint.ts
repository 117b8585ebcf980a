import { expect, type Page } from '@playwright/test'
import { z } from 'zod'
import type { Stage } from './stage.ts'

/** Opens the form of a new endpoint and fills it in; answers the endpoint's name. */
export async function fillEndpoint(page: Page, { sandboxUrl }: Stage): Promise<string> {
  const name = `Ledger ${crypto.randomUUID().slice(0, 8)}`
  await page.goto('/endpoints/new')
  await page.getByText('Another address', { exact: true }).click()
  await page.getByLabel('URL', { exact: true }).fill(`${sandboxUrl}/receiver`)
  await page.getByLabel('Description').fill(name)
  await page.getByLabel('Why').fill('a proof of it')
  return name
}

/** The form was taken, and once: its secret is shown, and the service has one endpoint of this name. Takes it away. */
export async function expectOneEndpoint(page: Page, stage: Stage, name: string) {
  await expect(page.getByLabel('Signing secret')).toBeVisible({ timeout: 30_000 })
  const answer = await stage.control('endpoints')
  const all = z.array(z.object({ uuid: z.string(), description: z.string() })).parse(answer)
  const mine = all.filter(({ description }) => description === name)
  expect(mine).toHaveLength(1)
  for (const { uuid } of mine) await stage.callService('DELETE', `merchant/webhook-endpoints/${uuid}`)
}
