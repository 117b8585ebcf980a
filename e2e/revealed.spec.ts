import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { sendEvent } from './sandbox.ts'
import { expect, expectLive, test } from './test.ts'

test.use({ storageState: stateOf('support@demo.test') })

/** An answer about a transaction stays only beside what was asked about. */

/** The event says that the transaction has reached a step, and who sent the money. */
const move = (transactionUuid: string, subType: string, given: object) =>
  sendEvent({
    type: 'fiatToCrypto',
    subType,
    uuid: crypto.randomUUID(),
    data: { transactionUuid, status: subType, amountFiat: 255.86, currencyFiat: 'EUR', ...given },
  })

/** The transaction is folded. */
async function begin(given: object = {}): Promise<string> {
  const uuid = crypto.randomUUID()
  await move(uuid, 'PENDING', given)
  await expect.poll(() => inDatabase('SELECT FROM transaction WHERE uuid = $1', [uuid])).toHaveLength(1)
  return uuid
}

const [before, after] = ['DE89370400440532013000', 'ES9121000418450200051332']
const bySender = (senderName: string, iban: string) => ({
  senderDetails: { senderName, accountDetails: { iban } },
})
const inGroups = (iban: string) => iban.replace(/(.{4})(?=.)/g, '$1 ')

test('an amount that is copied is whole, and what was revealed and compared goes once the record has another value', async ({
  page,
}) => {
  const transaction = await begin(bySender('Vera Before', before))
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  await test.step('by hand', async () => {
    const amount = page.getByRole('main').locator('dd', { hasText: '255.86' }).first()
    const copied = async () => {
      await page.keyboard.press('ControlOrMeta+C')
      return page.evaluate(() => navigator.clipboard.readText())
    }
    await amount.getByText('€255', { exact: true }).dblclick()
    expect((await copied()).replace(/\s/g, '')).toBe('€255.86')
    await amount.evaluate((element) => getSelection()?.selectAllChildren(element))
    expect((await copied()).replace(/\s/g, '')).toBe('€255.86')
  })
  await page.getByRole('button', { name: 'Reveal' }).click()
  await page.getByRole('button', { name: 'The customer asks' }).click()
  await expect(page.getByText(inGroups(before))).toBeVisible()
  await page.getByText('Verify caller details').click()
  await page.getByLabel('Compare', { exact: true }).selectOption({ label: 'The sender’s name' })
  await page.getByLabel('Customer’s answer').fill('Vera Before')
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await expect(page.getByText('Yes, it matches')).toBeVisible()
  await move(transaction, 'IN_PROGRESS', bySender('Vera After', after))
  await expect(page.getByText('Vera After')).toBeVisible()
  await expect(page.getByText(inGroups(before))).toHaveCount(0)
  await expect(page.getByText('Yes, it matches')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Reveal' })).toBeVisible()
})

test('keys and pastes belong to the reason from the press on, and the focus to what comes of it', async ({
  page,
}) => {
  await begin()
  const transaction = await begin(bySender('Vera Revealed', before))
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  await expect(page.getByRole('navigation', { name: 'The list' }).getByRole('link').last()).toBeVisible()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(page.url(), async (route) => {
    if (route.request().method() === 'POST') await promise
    await route.continue()
  })
  const reveal = page.getByRole('button', { name: 'Reveal' })
  const reason = page.getByLabel('Another reason, or a ticket')
  await page.evaluate(() => navigator.clipboard.writeText('HELP-12'))
  await reveal.press('Enter')
  await page.keyboard.press('j')
  await page.keyboard.press('/')
  await page.keyboard.press('ControlOrMeta+V')
  resolve()
  await expect(reason).toBeFocused()
  await page.keyboard.press('ControlOrMeta+V')
  await expect(reason).toHaveValue('HELP-12')
  await expect(page).toHaveURL(`/transactions/${transaction}`)
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(reveal).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(reason).toBeFocused()
  await page.getByRole('button', { name: 'The customer asks' }).press('Enter')
  await expect(page.locator(':focus')).toHaveText(inGroups(before))
})

test('what is typed beside a list stays when the list is filtered', async ({ page }) => {
  const transaction = await begin(bySender('Vera Noted', before))
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  const open = async () => {
    await page.getByRole('button', { name: 'Reveal' }).click()
    await page.getByRole('button', { name: 'Add a note' }).click()
  }
  const fields = ['Another reason, or a ticket', 'New note'].map((label) => page.getByLabel(label))
  await open()
  for (const field of fields) await field.fill('Half a sentence')
  await page.goto(`/transactions/${transaction}?step=PENDING`)
  await expectLive(page)
  await open()
  for (const field of fields) await expect(field).toHaveValue('Half a sentence')
})
