import { inDatabase } from './database.ts'
import { playScenario, userUuidOf } from './sandbox.ts'
import {
  expect,
  expectAccessible,
  expectComplaint,
  expectWhole,
  joinTheTeam,
  renderAgain,
  test,
} from './test.ts'

test('an admin imports people, finds one by the own number, and erases another for good', async ({
  page,
}) => {
  const number = `KD-${Date.now()}`
  const address = (name: string) => `${name}.${number.toLowerCase()}@demo.test`

  await test.step('becomes an admin', async () => {
    await joinTheTeam(page, 'Importing Admin')
  })

  await test.step('sees what is wrong with a file before anything is imported', async () => {
    await page.goto('/users')
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Import people' })).toBeVisible()
    await expectAccessible(page)
    expectComplaint(page, 409, '/api/users/import?name=nothing.csv')
    await choose(page, 'nothing.csv', 'name,age\nAna,33')
    await expect(page.getByText('The first line names no known column.')).toBeVisible()
    const people = Array.from(
      { length: 30 },
      (_, i) => `,${address(`person${i}`)},Person,Number${i},ES,${number}-${i}`,
    )
    const heading = 'user_uuid,email,first_name,last_name,country,customer_number'
    const lines = [heading, ...people, ',broken,Ana,Lima,ES,', 'no-uuid,,,,,', ...people.slice(0, 1)]
    await choose(page, 'people.csv', lines.join('\n'))
    await expect(page).toHaveURL(/\/users\/import\/[0-9a-f-]{36}$/)
    await expect(page.getByText('30, added to the provider by the import')).toBeVisible()
    await expect(page.getByRole('row', { name: /^32 Invalid/ })).toContainText('E-mail:')
    await expect(page.getByRole('row', { name: /^34 Invalid/ })).toContainText('in line 2 already')
    await expectWhole(page, 'import-checked')
  })

  await test.step('imports the others, and gets the result', async () => {
    await page.getByRole('button', { name: 'Import 30' }).click()
    await page.getByRole('alertdialog').getByLabel('Reason', { exact: true }).fill('the customers of before')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Import 30' }).click()
    await expect(page.getByText('30 of 30 imported')).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText('Done', { exact: true })).toBeVisible()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const dialog = page.getByRole('alertdialog')
    await expectWhole(page, 'import-export')
    await dialog.getByLabel('Reason', { exact: true }).fill('to compare with our list')
    await dialog.getByRole('button', { name: 'Export CSV', exact: true }).click()
    expect((await download).suggestedFilename()).toMatch(/^import-.*\.csv$/)
  })

  await test.step('finds all of a list that is pasted', async () => {
    await page.goto('/users')
    await page.getByLabel('Find people').focus()
    // The list is longer than what somebody types, and its names only count apart.
    const list = Array.from({ length: 30 }, (_, i) => `Person Number${i} <${address(`person${i}`)}>`)
    await page.evaluate((text) => navigator.clipboard.writeText(text), list.join('\n'))
    await page.keyboard.press('ControlOrMeta+V')
    await expect(page.getByText('30 found')).toBeVisible()
    await expect(page.getByLabel('Find people')).toHaveValue(list.join('↵'))
    await expect(page).toHaveURL(/\/users\?search=[0-9a-f-]{36}$/)
    const before = page.url()
    await page.keyboard.press('x')
    await expect(page).not.toHaveURL(before)
    await expect(page.getByText('30 found')).toBeVisible()
  })

  await test.step('finds one by the own number', async () => {
    await expect(page).toHaveURL(/\/users\?search=[0-9a-f-]{36}$/)
    const before = page.url()
    await page.getByLabel('Find people').fill(`${number}-7`)
    // The search uses a link in the address, which opens it again.
    await expect(page).not.toHaveURL(before)
    await expect(page).toHaveURL(/\/users\?search=[0-9a-f-]{36}$/)
    await page.reload()
    await expect(page.getByLabel('Find people')).toHaveValue(`${number}-7`)
    await expect(page.getByRole('row')).toHaveCount(2)
    await page.getByRole('link', { name: address('person7') }).click()
    await expect(page.getByRole('heading', { name: 'Person Number7' })).toBeVisible()
    await page.getByLabel('Your customer number').fill(`${number}-X`)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Saved: people find it by this.')).toBeVisible()
    await expectAccessible(page)
  })

  await test.step('erases another, whom no delivery brings back', async () => {
    const email = address('person3')
    const userUuid = await userUuidOf(email)
    await page.goto('/users')
    await page.getByLabel('Find people').fill(email)
    await expect(page).toHaveURL(/\/users\?search=/)
    const link = page.url()
    const transaction = await playScenario('fiat-to-crypto', userUuid)
    // A person's first transaction does not reload an open page.
    await expect(async () => {
      await page.goto(`/users/${userUuid}`)
      await expect(page.getByRole('heading', { name: 'Person Number3' })).toBeVisible()
      await expect(page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first()).toBeVisible({
        timeout: 2_000,
      })
    }).toPass()
    await page.getByRole('button', { name: 'Erase…' }).click()
    await page.getByLabel('Reason', { exact: true }).fill('asked for by mail')
    await page.getByLabel(/^To confirm, type/).fill(email)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await expect(page.getByRole('heading', { name: /^This person was erased/ })).toBeVisible()
    const state = page.getByRole('heading', { level: 1 }).getByText('Done', { exact: true })
    await expect(state).toBeVisible({ timeout: 30_000 })
    await expectAccessible(page)
    await playScenario('kyc', userUuid)
    await page.goto(`/transactions/${transaction}`)
    await expect(page.getByText('erased-').filter({ visible: true }).first()).toBeVisible()
    await expect(page.getByText('Person Number3')).toHaveCount(0)
    await page.goto('/users')
    await page.getByLabel('Find people').fill(email)
    await expect(page.getByText('No results for')).toBeVisible()
    await page.goto(link)
    await expect(page.getByText('What this link looked for was erased.')).toBeVisible()
    await expectAccessible(page)
  })
})

test('a number that a colleague has changed meanwhile is not overwritten, also when the page has heard of it', async ({
  page,
}) => {
  const name = `Numbering ${Date.now()}`
  await joinTheTeam(page, name, 'support')
  const setNumber = (number: string) =>
    inDatabase(
      `UPDATE person SET customer_number = $2
       WHERE user_uuid = (SELECT user_uuid FROM member WHERE name = $1) RETURNING user_uuid AS uuid`,
      [name, number],
    )
  const [person] = await setNumber('KD-1')
  const field = page.getByLabel('Your customer number')
  await page.goto(`/users/${(person as { readonly uuid: string }).uuid}`)
  await expect(field).toHaveValue('KD-1')
  await field.fill('KD-3')
  await setNumber('KD-2')
  await renderAgain(page, name)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Somebody else has changed this meanwhile.')).toBeVisible()
})

type Page = Parameters<typeof expectAccessible>[0]

async function choose(page: Page, name: string, text: string) {
  await page.getByLabel('CSV file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Check it' }).click()
}
