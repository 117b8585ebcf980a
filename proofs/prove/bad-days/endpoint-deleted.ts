import { expect } from '@playwright/test'
import { z } from 'zod'
import { keepPicture } from './keep-picture.ts'
import type { BadDay } from './stage.ts'

/** Somebody else deletes an endpoint whose page is open, and whoever has it open acts on it then. */
export const endpointDeleted: BadDay = async (stage) => {
  const made = await stage.callService('POST', 'merchant/webhook-endpoints', {
    url: `${stage.sandboxUrl}/receiver`,
    description: 'Soon gone',
  })
  const { uuid } = z.object({ uuid: z.string() }).parse(made)
  const page = await stage.open('admin@demo.test')
  const dialog = page.getByRole('alertdialog')
  await page.goto(`/endpoints/${uuid}`)
  await page.getByRole('button', { name: 'Disable…' }).click()
  await dialog.getByLabel('Why').fill('it is not needed tonight')
  await stage.callService('DELETE', `merchant/webhook-endpoints/${uuid}`)
  await dialog.getByRole('button', { name: 'Disable', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('This endpoint no longer exists.')
  await expect(dialog.getByLabel('Why')).toHaveValue('it is not needed tonight')
  await keepPicture(page, 'endpoint-deleted-dialog')
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'The service knows no endpoint of this id' })).toBeVisible()
  await keepPicture(page, 'endpoint-deleted-page')
  await page.getByRole('link', { name: 'All endpoints' }).click()
  await expect(page.getByRole('heading', { name: 'Webhook endpoints' })).toBeVisible()
  return 'the dialog and the page say that it is gone, and lead to the others'
}
