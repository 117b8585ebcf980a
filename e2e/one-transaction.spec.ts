import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { playScenario, sendEvent, userUuidOf } from './sandbox.ts'
import { setTextSize } from './screens.ts'
import { expect, expectLive, expectNotSideways, expectWhole, test } from './test.ts'
import { findUnreadable } from './unreadable.ts'

test.use({ storageState: stateOf('support@demo.test') })

/** The sent event has arrived and is folded. */
const known = (sql: string, id: string) => expect.poll(() => inDatabase(sql, [id])).toHaveLength(1)

/** The transaction belongs to an unknown person, and its step is unique. */
async function begin(subType: string, given: object = {}, uuid = crypto.randomUUID()): Promise<string> {
  const transactionUuid = crypto.randomUUID()
  await move(transactionUuid, subType, given, uuid)
  await known('SELECT FROM transaction WHERE uuid = $1', transactionUuid)
  return transactionUuid
}

/** The event says that a transaction has reached a step. */
const move = (transactionUuid: string, subType: string, given: object = {}, uuid = crypto.randomUUID()) =>
  sendEvent({
    type: 'fiatToCrypto',
    subType,
    uuid,
    data: { transactionUuid, status: subType, amountFiat: 255.86, currencyFiat: 'EUR', ...given },
  })

/** The function runs in the page. It answers the heights of one-line facts, without a button and with one. */
function factHeights() {
  const heights: [Set<number>, Set<number>] = [new Set(), new Set()]
  for (const value of document.querySelectorAll('main dl.leading-6 > dd')) {
    const { height } = value.getBoundingClientRect()
    // A fact of two lines is at least 48 px high.
    if (height > 0 && height < 48) heights[value.querySelector('button') ? 1 : 0].add(height)
  }
  return heights.map((each) => [...each])
}

test('staff leave a note with a ticket, which colleagues read at once and the customer never', async ({
  page,
  browser,
}) => {
  const transaction = await playScenario('fiat-to-crypto', await userUuidOf('ana@demo.test'))
  const text = `Rang about ${transaction.slice(0, 8)}`
  await known('SELECT FROM transaction WHERE uuid = $1', transaction)
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  expect(await page.evaluate(factHeights), 'heights of rows of facts, with and without a button').toEqual([
    [28],
    [28],
  ])
  const notes = page.getByRole('region', { name: 'Notes' })
  await notes.getByRole('button', { name: 'Add a note' }).click()
  await expect(notes.getByRole('textbox', { name: 'New note' })).toBeFocused()
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('alert')).toHaveText('Write something.')
  await notes.getByRole('textbox', { name: 'New note' }).fill(text)
  await notes.getByRole('textbox', { name: 'Ticket' }).fill('HELP-12')
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('alert')).toHaveText('This is no web address with https://.')
  await notes.getByRole('textbox', { name: 'Ticket' }).fill('https://help.example/HELP-12')

  const admin = await browser.newContext({ storageState: stateOf('admin@demo.test') })
  const theirs = await admin.newPage()
  await theirs.goto(`/transactions/${transaction}`)
  await expectLive(theirs)
  await expect(notes.getByText('Only support, compliance and admins can read it.')).toBeVisible()
  await notes.getByRole('button', { name: 'Save' }).click()
  const note = notes.getByRole('listitem').filter({ hasText: text })
  await expect(note).toContainText('Demo Support')
  await expect(notes.getByRole('button', { name: 'Add a note' })).toBeFocused()
  await expect(note.getByRole('link', { name: 'help.example/HELP-12' })).toHaveAttribute(
    'href',
    'https://help.example/HELP-12',
  )
  const seen = theirs.getByRole('region', { name: 'Notes' }).getByRole('listitem').filter({ hasText: text })
  await expect(seen).toBeVisible()
  await expect(seen.getByRole('button', { name: 'Change' })).toHaveCount(0)
  await expect(seen.getByRole('button', { name: 'Remove…' })).toBeVisible()
  await admin.close()
  await note.getByRole('button', { name: 'Change' }).click()
  await notes.getByRole('textbox', { name: 'Your note' }).fill(`${text}, twice`)
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(note).toContainText(`${text}, twice`)
  await expect(note).toContainText('changed')
  await expect(note.getByRole('button', { name: 'Change' })).toBeFocused()
  // A target that is half under the header would be too small.
  await page.evaluate(() => scrollTo(0, 0))
  await expectWhole(page, 'transaction-note', [390])

  const customer = await browser.newContext({ storageState: stateOf('ana@demo.test') })
  const own = await customer.request.get(`/account/transactions/${transaction}`)
  expect(own.status()).toBe(200)
  expect(await own.text()).not.toContain(text)
  await customer.close()
  await note.getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click()
  // A note behind the dialog counts as none.
  await expect(page.getByRole('alertdialog')).toBeHidden()
  await expect(note).toHaveCount(0)
  await expect(notes.getByRole('heading', { name: 'Notes' })).toBeFocused()
})

test('the answer about what a caller says is beside the text that was compared, and beside no other', async ({
  page,
}) => {
  const transaction = await begin('PENDING', { senderDetails: { senderName: 'Vera Compared' } })
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  await page.getByText('Verify caller details').click()
  const [said, compare] = [
    page.getByLabel('Customer’s answer'),
    page.getByRole('button', { name: 'Compare', exact: true }),
  ]
  const yes = page.getByText('Yes, it matches')
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(page.url(), async (route) => {
    if (route.request().method() === 'POST') await promise
    await route.continue()
  })
  await said.fill('Vera Compared')
  await compare.click()
  await expect(compare).toBeDisabled()
  await said.fill('Vera Mistaken')
  resolve()
  await expect(compare).toBeEnabled()
  await expect(yes).toHaveCount(0)
  await said.fill('Vera Compared')
  await compare.click()
  await expect(yes).toBeVisible()
  await said.fill('Vera Mistaken')
  await expect(yes).toHaveCount(0)
})

test('the reply is copied in the customer’s language, or in the one that is chosen', async ({ page }) => {
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  const transaction = await begin('ON_HOLD', { status: 'ON_HOLD_PROCESS' }, await userUuidOf('ben@demo.test'))
  await page.goto(`/transactions/${transaction}`)
  await page.getByRole('button', { name: 'Copy reply' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await copied()).toContain(`Referenz: ${transaction}`)
  expect(await copied()).toContain('Der Vorgang ist angehalten.')
  await page.getByRole('button', { name: 'The reply is in German' }).click()
  const reply = page.getByRole('dialog', { name: 'Reply to the customer' })
  await expect(reply).toContainText('Their country in the directory suggests German.')
  await reply.getByRole('combobox', { name: 'Language of the customer' }).selectOption('Français')
  await expect(reply).toContainText('L’opération est en pause.')
  await expectWhole(page, 'transaction-reply', [1440])
  await page.keyboard.press('Escape')
  await expect(reply).toBeHidden()
  await page.getByRole('button', { name: 'Copy reply' }).click()
  await expect.poll(copied).toContain(`Référence : ${transaction}`)
})

test('what the customer can be told is there in each of their languages', async ({ page }) => {
  const account = crypto.randomUUID()
  const data = { uuid: account, currency: 'EUR', status: 'DISABLED' }
  const owner = await userUuidOf('ben@demo.test')
  await sendEvent({ type: 'unblockBankAccount', subType: 'statusUpdate', uuid: owner, data })
  await known(`SELECT FROM event WHERE subject_id = 'bank-account:' || $1::text`, account)
  await page.goto(`/accounts/${account}`)
  // Ben lives in Germany, so he reads German.
  await expect(page.getByText('Dieses Konto ist deaktiviert.')).toBeVisible()
  await expect(page.getByText('In English: This account is disabled.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Language of the customer' }).first().selectOption('English')
  await expect(page.getByText('This account is disabled. Please do not pay into it.')).toBeVisible()
})

test('a person’s page hears of their first transaction', async ({ page }) => {
  const person = crypto.randomUUID()
  await sendEvent({ type: 'KYC', subType: 'statusUpdate', uuid: person, data: { status: 'FULL_USER' } })
  await known(`SELECT FROM event WHERE subject_id = 'entity:' || $1::text`, person)
  await page.goto(`/users/${person}`)
  await expectLive(page)
  const list = page.getByRole('region', { name: 'Transactions' })
  await expect(list).toContainText('No transactions yet')
  const transaction = await begin('PENDING', {}, person)
  await expect(list.locator(`a[href="/transactions/${transaction}"]:visible`)).toHaveCount(1)
})

test('the alerts beside the worst open below it', async ({ page }) => {
  const transaction = await begin('PENDING')
  await inDatabase(
    `UPDATE transaction SET flags = '{conflict}', started_at = '2024-02-01', last_move_at = '2024-02-01', finished_at = '2024-02-02'
     WHERE uuid = $1`,
    [transaction],
  )
  const gap = crypto.randomUUID()
  await inDatabase(
    `INSERT INTO gap (id, kind, about, began_at, ended_at) VALUES ($1, 'down', '', '2024-02-01', '2024-02-01 06:00')`,
    [gap],
  )
  try {
    await page.goto(`/transactions/${transaction}`)
    const alerts = page.getByRole('region', { name: 'Alerts' })
    await expect(alerts.getByText('Events contradict each other')).toBeVisible()
    const link = alerts.getByRole('link', { name: 'Show details' })
    await expect(link).toBeHidden()
    await alerts.getByText('+1 more').click()
    await expect(link).toHaveAttribute('href', `/gaps/${gap}`)
  } finally {
    await inDatabase('DELETE FROM gap WHERE id = $1', [gap])
    // The transaction goes with its events, because other tests would open those.
    await inDatabase('DELETE FROM transaction WHERE uuid = $1', [transaction])
    for (const table of ['event_delivery', 'event'])
      await inDatabase(`DELETE FROM ${table} WHERE subject_id = 'transaction:' || $1::text`, [transaction])
  }
})

test('how long the open step lasts goes on by itself', async ({ page }) => {
  const transaction = await begin('ON_HOLD', { status: 'ON_HOLD_KYC' })
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  const opened = await page.evaluate(() => performance.timeOrigin)
  const here = page.getByRole('list', { name: 'Steps' }).locator('[aria-current=step]')
  for (const lasts of [
    here.getByText(/^for /).locator('time'),
    page.getByRole('heading', { level: 1 }).locator('time'),
  ]) {
    // The live feed may render the page once meanwhile.
    for (let change = 1; change <= 3; change++) {
      const before = (await lasts.textContent()) ?? ''
      expect(before).toMatch(/^\d+\s+s$/)
      await expect(lasts).not.toHaveText(before, { timeout: 5_000 })
    }
    await lasts.hover()
    await expect(lasts, 'it says when that was').toHaveAttribute(
      'title',
      /^\d+ \w+ \d{4}, \d\d:\d\d:\d\d\.\d{3}/,
    )
  }
  expect(await page.evaluate(() => performance.timeOrigin), 'the page is the same').toBe(opened)
})

test('the pill of an open transaction changes its colour and words in place', async ({ page }) => {
  const transaction = await begin('IN_PROGRESS')
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  const pill = await page.getByRole('main').locator('header [data-tone]').elementHandle()
  const read = () =>
    pill?.evaluate((element) => ({
      isThere: element.isConnected,
      tone: element.getAttribute('data-tone'),
      words: element.textContent,
    }))
  const colour = () =>
    pill?.evaluate(async (element) => {
      await Promise.all(element.getAnimations().map(({ finished }) => finished))
      return getComputedStyle(element).color
    })
  await expect.poll(read).toEqual({ isThere: true, tone: 'move', words: 'In progress' })
  const colours = [await colour()]
  for (const [step, tone, words] of [
    ['ON_HOLD', 'held', /^On hold/],
    ['FAILED', 'fail', /^Failed/],
    ['REFUNDED', 'back', /^Refunded/],
  ] as const) {
    await move(transaction, step)
    await expect.poll(read).toEqual({ isThere: true, tone, words: expect.stringMatching(words) })
    expect(colours).not.toContain(await colour())
    colours.push(await colour())
  }
})

test('the steps stand in a row where all of them fit, below each other elsewhere, and are printed', async ({
  page,
}) => {
  const transaction = await begin('PENDING')
  await page.goto(`/transactions/${transaction}`)
  await expectLive(page)
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  const expectThem = async (way: string, width: number, textSize = 16) => {
    await page.setViewportSize({ width, height: 900 })
    await setTextSize(page, textSize)
    const when = `at ${width} px with text of ${textSize} px`
    await expect.poll(() => steps.evaluateAll(howTheyLie), when).toBe(way)
    await expectNotSideways(page, when)
  }
  await expect(steps).toHaveCount(4)
  await expectThem('in a row', 768)
  for (const step of ['IN_PROGRESS', 'ON_HOLD', 'CRYPTO_TRANSFER_ISSUED', 'FAILED', 'REFUNDED'])
    await move(transaction, step)
  await expect(steps).toHaveCount(6)
  await expectThem('below each other', 768)
  await expectThem('in a row', 1440)
  await expectThem('below each other', 1440, 32)
  await setTextSize(page, 16)

  await test.step('on paper is nothing that only a screen needs', async () => {
    await expect(page.getByRole('navigation', { name: 'The list' })).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    for (const width of [718, 1_047]) {
      await page.setViewportSize({ width, height: 1_047 })
      await expect(page.getByText(transaction)).toBeVisible()
      for (const role of ['banner', 'navigation', 'complementary', 'search', 'button'] as const)
        await expect(page.getByRole(role), `${role} at ${width} px`).toHaveCount(0)
      await expectNotSideways(page, 'on paper')
    }
  })
})

/** The function runs in the page. */
function howTheyLie(items: Element[]): string {
  const boxes = items.map((item) => item.getBoundingClientRect())
  const each = (holds: (one: DOMRect, next: DOMRect) => boolean) =>
    boxes.slice(1).every((next, at) => holds(boxes[at] ?? next, next))
  // Neighbours may share an edge.
  if (each((one, next) => next.left >= one.right - 1 && Math.abs(next.top - one.top) < 1)) return 'in a row'
  if (each((one, next) => next.top >= one.bottom - 1 && Math.abs(next.left - one.left) < 1))
    return 'below each other'
  return boxes
    .map(({ left, top, right, bottom }) => [left, top, right, bottom].map(Math.round).join())
    .join(' ')
}

test('opened by its address it has neighbours, which j and k open, and Escape leads to the list', async ({
  page,
}) => {
  await begin('PENDING')
  const uuid = await begin('PENDING')
  await page.goto(`/transactions/${uuid}`)
  const neighbours = page.getByRole('navigation', { name: 'The list' }).getByRole('link')
  await expect(neighbours.last()).toHaveAttribute('href', /^\/transactions\/[^/?]{36}$/)
  for (const link of await neighbours.all())
    expect(await link.getAttribute('href')).toMatch(/^\/transactions\/[^/?]{36}$/)
  // Another test may have started a transaction in between.
  const older = (await neighbours.last().getAttribute('href')) ?? ''
  await expectLive(page)
  await page.keyboard.press('j')
  await expect(page).toHaveURL(older)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('k')
  await expect(page).toHaveURL(`/transactions/${uuid}`)
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/transactions')

  await page.locator(`main a[href="/transactions/${uuid}"]:visible`).click()
  await expect(page).toHaveURL(`/transactions/${uuid}`)
  await expect(neighbours.last()).toBeVisible()
  await page.keyboard.press('j')
  await expect(page).not.toHaveURL(new RegExp(uuid))
  await page.getByRole('button', { name: 'Add a note' }).click()
  await page.getByRole('textbox', { name: 'New note' }).press('j')
  await expect(page).not.toHaveURL(new RegExp(uuid))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', { name: 'Add a note' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL('/transactions')
})

test.describe('its customer', () => {
  test.use({ storageState: stateOf('ana@demo.test') })

  test('prints a receipt: whole amounts, one page wide, nothing to press', async ({ page }) => {
    const [hash, wallet] = [`0x${'c228d49b'.repeat(8)}`, `0x${'a3a94b8e'.repeat(5)}`]
    const transaction = await begin(
      'SUCCESS',
      {
        amountFiat: 1_234_567.89,
        amountCrypto: 1_345_678.123456,
        currencyCrypto: 'USDC',
        transactionHash: hash,
        walletAddress: wallet,
      },
      await userUuidOf('ana@demo.test'),
    )
    await page.goto(`/account/transactions/${transaction}`)
    await expect(page.getByRole('button', { name: 'Print receipt' })).toBeVisible()
    await page.emulateMedia({ media: 'print' })
    // A4 has this size within margins of 1 cm.
    await page.setViewportSize({ width: 718, height: 1_047 })
    await expect(page.getByText('Receipt', { exact: true })).toBeVisible()
    for (const role of ['banner', 'navigation', 'button', 'combobox'] as const)
      await expect(page.getByRole(role)).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'My account' })).toHaveCount(0)
    const money = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Money' }) })
    await expect(money).toContainText('€1,234,567.89')
    await expect(money).toContainText('1,345,678.123456 USDC')
    await expect(money).toContainText('1 EUR = 1.09 USDC')
    for (const whole of [hash, wallet, transaction])
      await expect(page.getByText(whole, { exact: true }).first()).toBeVisible()
    await expect(page.getByText('Issued to Ana Demo, ana@demo.test')).toBeVisible()
    await expect(page.getByText(/^Issued \d+ \w+ \d{4}, \d\d:\d\d\./)).toBeVisible()
    expect(await findUnreadable(page)).toEqual([])
    await expectNotSideways(page, 'on paper')
    const open = await begin('PENDING', {}, await userUuidOf('ana@demo.test'))
    await page.goto(`/account/transactions/${open}`)
    await expect(page.getByText(open, { exact: true }).first()).toBeVisible()
    await expect(page.getByText(/^(Receipt$|Issued )/), 'what has no receipt').toHaveCount(0)
  })
})
