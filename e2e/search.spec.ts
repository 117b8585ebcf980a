import type { Page, Request } from '@playwright/test'
import { inDatabase } from './database.ts'
import { stateOf } from './people.ts'
import { sendEvent, userUuidOf } from './sandbox.ts'
import { expect, expectComplaint, expectLive, expectWhole, test } from './test.ts'

test.use({ storageState: stateOf('admin@demo.test') })

const searchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search', exact: true })

/** The text is pasted into the focused element. */
const paste = (page: Page, pasted: string) =>
  page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', text)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.activeElement?.dispatchEvent(event)
  }, pasted)

/** The function sends the first events of several transactions of ben. Each has an amount that nothing else has. */
async function sendTransactions(subTypes: readonly string[]) {
  const uuid = await userUuidOf('ben@demo.test')
  const sent = subTypes.map((subType) => ({
    uuid: crypto.randomUUID(),
    amount: Number(
      `${10_000 + Math.floor(Math.random() * 90_000)}.${100 + Math.floor(Math.random() * 899)}1`,
    ),
    subType,
  }))
  for (const { uuid: transactionUuid, amount, subType } of sent)
    await sendEvent({
      type: 'fiatToCrypto',
      subType,
      uuid,
      data: { transactionUuid, amountFiat: amount, currencyFiat: 'EUR', status: subType },
    })
  return sent
}

test('forty things pasted at once are one table with as many answers', async ({ page }) => {
  const sent = await sendTransactions(['PENDING', 'ON_HOLD'])
  const [one, two] = sent.map(({ uuid }) => uuid)
  const typo = `${one?.slice(0, 35)}${one?.endsWith('0') ? '1' : '0'}`
  await page.goto('/transactions')
  const pasted = [one, two, typo, crypto.randomUUID(), '5.49 apples'].join('\n')
  // The page reacts to a paste only after its script has run, so the test repeats the paste.
  await expect(async () => {
    await searchBox(page).focus()
    await paste(page, pasted)
    await expect(page.getByText('5 lines · 2 found')).toBeVisible({ timeout: 3_000 })
  }).toPass()
  const answers = page.getByRole('region', { name: 'Answers' }).getByRole('row')
  await expect(answers).toHaveCount(6)
  await expect(answers.nth(1)).toContainText('Pending')
  await expect(answers.nth(2)).toContainText('On hold')
  await expect(answers.nth(3)).toContainText('Not found')
  await expect(answers.nth(3).getByRole('link')).toHaveAttribute('href', `/transactions/${one}`)
  await expect(answers.nth(4)).toContainText('Not found')
  await expect(answers.nth(5)).toContainText('No ID and no amount')
  await expect(page).toHaveURL(/search=[0-9a-f-]{36}/)
  await page.reload()
  await expect(answers).toHaveCount(6)
  await expectWhole(page, 'search-lines')
  await expect(page.getByRole('button', { name: 'Export CSV…' })).toBeVisible()
  await answers.nth(2).getByRole('link').first().click()
  await expect(page).toHaveURL(new RegExp(`/transactions/${two}`))
  await expect(page.getByRole('link', { name: 'Previous in the list, this is 2 of 2' })).toBeVisible()
})

test('an amount is found, why is marked, and what nobody understood is claimed by nobody', async ({
  page,
}) => {
  const [sent] = await sendTransactions(['PENDING'])
  await page.goto('/transactions')
  await searchBox(page).fill(`${sent?.amount} EUR today`)
  await expect(page.getByText(/Amount .* EUR today · 1 match, press/)).toBeVisible()
  await expect(page.locator('main mark').first()).toBeVisible()
  await searchBox(page).fill('5.49 apples')
  await expect(page.getByRole('heading', { name: /No ID and no amount/ })).toBeVisible()
  await searchBox(page).fill('8bf1-4d8b-8c9d')
  await expect(page.getByText('by its beginning or end, not its middle')).toBeVisible()

  await test.step('words that name filters and nothing else offer them', async () => {
    await searchBox(page).fill('on hold')
    await page.getByRole('button', { name: 'Filter by Status: On hold' }).click()
    await expect(page).toHaveURL('/transactions?step=ON_HOLD')
    await expect(searchBox(page)).toHaveValue('')
    await page.goBack()
    await expect(page).not.toHaveURL(/step=/)
  })

  await searchBox(page).fill(`${sent?.uuid.slice(0, 35)}${sent?.uuid.endsWith('0') ? '1' : '0'}`)
  const close = page.getByRole('note', { name: 'Close to it' })
  await expect(close).toContainText('One differs in one character')
  await expect(page.getByText('You are in the sandbox')).toBeVisible()
  await expectWhole(page, 'search-near', [390])
  await close.getByRole('link').click()
  await expect(page).toHaveURL(`/transactions/${sent?.uuid}`)
})

test('Enter pressed before the answer is here opens the match when it comes, and going back finds the search', async ({
  page,
}) => {
  const [sent] = await sendTransactions(['PENDING'])
  const opened = `/transactions/${sent?.uuid}`
  const field = searchBox(page)
  // The list reacts to keys only after its script has run.
  await page.goto('/transactions')
  await expect(async () => {
    await page.keyboard.press('/')
    await expect(field).toBeFocused({ timeout: 1_000 })
  }).toPass()
  for (const [how, text] of [
    ['typed', sent?.uuid.slice(0, 13)],
    ['typed', sent?.uuid],
    ['pasted', sent?.uuid.slice(-12)],
  ] as const) {
    await field.focus()
    if (how === 'typed') await page.keyboard.type(text ?? '')
    else await page.keyboard.insertText(text ?? '')
    await page.keyboard.press('Enter')
    await expect(page, `${how} ${text}`).toHaveURL(opened)
    await page.goBack()
    await expect(page).toHaveURL(/\/transactions\?search=/)
    await expect(field).toHaveValue(text ?? '')
    await field.fill('')
  }
})

test('a late answer opens nothing once another search began, or another page is open or on its way', async ({
  page,
}) => {
  const ana = await userUuidOf('ana@demo.test')
  const [sent] = await sendTransactions(['PENDING'])
  await page.goto('/timeline')
  await expectLive(page)
  const overview = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' })
  for (const [since, path] of [
    [() => paste(page, sent?.uuid ?? ''), `/transactions/${sent?.uuid}`],
    [() => page.evaluate(`window.next.router.push('/endpoints')`), '/endpoints'],
    [() => overview.click(), '/overview'],
  ] as const) {
    const { promise: late, resolve: answer } = Promise.withResolvers<void>()
    await page.route('/api/search', async (route) => {
      if (route.request().postData()?.includes(ana)) await late
      await route.continue()
    })
    await page.route(/\/overview\?.*_rsc=/, async (route) => {
      answer()
      await page.waitForTimeout(1_000)
      await route.continue()
    })
    const asked = page.waitForRequest('/api/search')
    await paste(page, ana)
    await asked
    await since()
    await expect(page).toHaveURL(path)
    answer()
    await page.waitForTimeout(1_000)
    await expect(page).toHaveURL(path)
    await page.unrouteAll()
  }
})

test('the late answer of a search leaves alone the page that a link opens', async ({ page }) => {
  await page.goto('/overview')
  await expectLive(page)
  for (const [place, list, asked] of [
    [/^People/, '/users', '/users'],
    [/^Transactions/, '/transactions', '/api/search'],
  ] as const) {
    const { promise: late, resolve: answer } = Promise.withResolvers<void>()
    const isAsked = (request: Request) => request.method() === 'POST' && request.url().endsWith(asked)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).click()
    await expect(page).toHaveURL(list)
    await expect(page.locator('[data-search]')).toBeVisible()
    await page.route(`**${asked}`, async (route) => {
      if (isAsked(route.request())) await late
      await route.continue()
    })
    await page.route(/_rsc=/, async (route) => {
      answer()
      await page.waitForTimeout(1_000)
      await route.continue()
    })
    const sent = page.waitForRequest(isAsked)
    await page.locator('[data-search]').fill('demo.test')
    await sent
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
    await expect(page).toHaveURL('/overview')
    await page.unrouteAll()
  }
})

test('a link to a person or an account opens them above all that is theirs, and shows nothing else on the way', async ({
  page,
}) => {
  const [ben, account] = [await userUuidOf('ben@demo.test'), crypto.randomUUID()]
  await sendTransactions(['PENDING'])
  await sendEvent({
    type: 'linkBankAccount',
    subType: 'statusUpdate',
    uuid: ben,
    data: { uuid: account, status: 'PENDING' },
  })
  const arrived = () => inDatabase('SELECT FROM event WHERE subject_id = $1', [`bank-account:${account}`])
  await expect.poll(arrived).toHaveLength(1)
  await page.route('/api/search', async (route) => {
    await expect(page.getByText('Opening…')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Find' })).toHaveCount(0)
    await route.continue()
  })
  for (const [link, path] of [
    ['/go#ben@demo.test', `/users/${ben}`],
    [`/go/${account}`, `/accounts/${account}`],
  ] as const) {
    await page.goto(link, { waitUntil: 'commit' })
    await expect(page, link).toHaveURL(path)
  }
})

test('a page of something that never arrived says what is known here of why', async ({ page }) => {
  const address = `/transactions/${crypto.randomUUID()}`
  expectComplaint(page, 404, address)
  await page.goto(address)
  await expect(page.getByRole('heading', { level: 1, name: /has arrived here$/ })).toBeVisible()
  await expect(page.getByText('You are in the sandbox')).toBeVisible()
  await expect(page.getByText(/^Events arrive here since/)).toBeVisible()
  for (const path of ['/accounts/', '/timeline/unknown:']) {
    const answer = await page.request.get(`${path}${crypto.randomUUID()}`)
    expect(answer.status(), path).toBe(404)
    expect(await answer.text(), path).toContain('has arrived here')
  }
})

test('the palette finds, goes and does by keyboard alone, and remembers what was opened', async ({
  page,
}) => {
  const [sent] = await sendTransactions(['PENDING'])
  const palette = page.getByRole('dialog', { name: 'Find anything' })
  const field = page.getByRole('combobox', { name: 'Find anything' })
  await page.goto('/timeline')
  // The page reacts to keys only after its script has run.
  await expect(async () => {
    await page.keyboard.press('Control+k')
    await expect(palette).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await expect(field).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()

  await test.step('finds', async () => {
    await page.keyboard.press('Control+k')
    await field.fill(sent?.uuid.slice(0, 13) ?? '')
    await expect(palette.getByRole('option', { name: /Pending/ })).toHaveAttribute('aria-selected', 'true')
    await expectWhole(page, 'palette-found')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`/transactions/${sent?.uuid}`)
  })

  await test.step('opens what is pasted whole at once', async () => {
    await page.goBack()
    await expect(page).toHaveURL('/timeline')
    await page.getByRole('button', { name: 'Find anything' }).click()
    await field.fill(sent?.uuid ?? '')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`/transactions/${sent?.uuid}`)
  })

  await test.step('leaves the keys of an input method to it', async () => {
    await page.goBack()
    await expect(page).toHaveURL('/timeline')
    await page.getByRole('button', { name: 'Find anything' }).click()
    await field.fill(sent?.uuid ?? '')
    for (const key of ['Enter', 'Escape']) await field.dispatchEvent('keydown', { key, isComposing: true })
    await expect(palette.getByRole('option', { name: /Pending/ })).toHaveAttribute('aria-selected', 'true')
    await expect(field).toHaveValue(sent?.uuid ?? '')
    await expect(page).toHaveURL('/timeline')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`/transactions/${sent?.uuid}`)
  })

  await test.step('leads from lines that are pasted to the list, with an answer to each', async () => {
    const pasted = [sent?.uuid, crypto.randomUUID()].join('\n')
    await page.keyboard.press('Control+k')
    await expect(field).toBeFocused()
    await paste(page, pasted)
    await expect(palette).toBeHidden()
    await expect(page).toHaveURL(/\/transactions\?search=/)
    await expect(page.getByRole('region', { name: 'Answers' }).getByRole('row')).toHaveCount(3)
    await page.goBack()
    await expect(page).toHaveURL(`/transactions/${sent?.uuid}`)
  })

  await test.step('does what the open page offers', async () => {
    await page.keyboard.press('Control+k')
    for (const name of ['Copy reply', 'Copy for provider', 'Copy id', 'Replay webhooks…'])
      await expect(palette.getByRole('option', { name, exact: true })).toBeVisible()
    await field.fill('add a n')
    await page.keyboard.press('Enter')
    await expect(palette).toBeHidden()
    await expect(page.getByRole('textbox', { name: 'New note' })).toBeFocused()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('finds a person by name', async () => {
    await page.keyboard.press('Control+k')
    await field.fill('ben@de')
    await palette
      .getByRole('option', { name: /ben@demo\.test/ })
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
  })

  await test.step('goes', async () => {
    await page.keyboard.press('Control+k')
    await field.fill('endpo')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await palette.getByRole('option', { name: 'Endpoints', exact: true }).click()
    await expect(page).toHaveURL('/endpoints')
  })

  await test.step('remembers', async () => {
    await page.keyboard.press('Control+k')
    await expect(
      palette.getByRole('option', { name: `Transaction ${sent?.uuid.slice(0, 8)}` }).first(),
    ).toBeVisible()
    const kept = await page.evaluate(() => JSON.stringify(localStorage))
    expect(kept).not.toContain('ben@')
    await page.keyboard.press('Escape')
  })

  await test.step('does', async () => {
    await page.keyboard.press('Control+k')
    await field.fill('dark')
    await page.keyboard.press('Enter')
    await expect(palette).toBeHidden()
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    await page.getByRole('button', { name: /account and appearance$/ }).click()
    await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await field.fill('theme of this')
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'system')
  })

  await test.step('opens from the header of a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    const trigger = page.getByRole('banner').getByRole('button', { name: 'Find anything' })
    expect(await trigger.boundingBox()).toMatchObject({ width: 40, height: 40 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await trigger.click()
    await expect(field).toBeFocused()
  })
})

test.describe('of support', () => {
  test.use({ storageState: stateOf('support@demo.test') })

  test('the palette has no page and no command that the role may not have', async ({ page }) => {
    await page.goto('/transactions')
    await page.getByRole('button', { name: 'Find anything' }).click()
    const options = page.getByRole('dialog', { name: 'Find anything' }).getByRole('option')
    await expect(options.filter({ hasText: 'Sign out' })).toBeVisible()
    for (const name of ['Add an endpoint', 'Replay webhooks', 'Settings', 'Team', 'Import people'])
      await expect(options.filter({ hasText: name })).toHaveCount(0)
    await expect(options.filter({ hasText: 'Endpoints' })).toHaveCount(1)
  })
})

/** The scripts of the next page arrive when `letGo` is called, so that people use the page before React takes it over. */
async function holdScripts(page: Page): Promise<{ letGo(): void }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.unrouteAll()
  await page.route(/\/_next\/static\/.*\.js/, (route) => promise.then(() => route.continue()))
  return { letGo: resolve }
}

test('what is typed or chosen before the scripts of a page arrive takes effect', async ({ page }) => {
  const [sent] = await sendTransactions(['PENDING'])
  const scripts = await holdScripts(page)
  const opened = page.goto('/users', { waitUntil: 'commit' })
  await page.getByLabel('Find people').fill('ben@demo.test')
  scripts.letGo()
  await opened
  await expect(page).toHaveURL(/\/users\?search=/)
  await expect(page.getByRole('row')).toHaveCount(2)

  for (const [path, use, effect] of [
    [
      '/transactions',
      () => searchBox(page).fill(String(sent?.amount)),
      () => expect(page.locator('main a[data-row]:visible')).toHaveCount(1),
    ],
    [
      '/transactions',
      () => page.getByLabel('Direction').selectOption({ index: 1 }),
      () => expect(page).toHaveURL(/direction=/),
    ],
  ] as const) {
    const held = await holdScripts(page)
    await page.goto(path, { waitUntil: 'commit' })
    await use()
    held.letGo()
    await effect()
  }
})

test('what is typed takes effect though it is repeated in the middle of the hydration', {
  tag: '@slow',
}, async ({ page }) => {
  await page.addInitScript(() => {
    const ticks: (() => void)[] = []
    const { setInterval } = window
    Object.assign(window, {
      setInterval: (tick: () => void, ms: number) => {
        ticks.push(tick)
        return setInterval(tick, ms)
      },
    })
    const { defineProperty } = Object
    // React defines this property while it hydrates, and lets other tasks run after 25 ms.
    Object.defineProperty = (of, name, property) => {
      const defined = defineProperty(of, name, property)
      if (!(of instanceof HTMLInputElement) || name !== 'value') return defined
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        for (const tick of ticks) tick()
      }
      port2.postMessage(null)
      for (const until = performance.now() + 40; performance.now() < until; );
      return defined
    }
  })
  const scripts = await holdScripts(page)
  await page.goto('/users', { waitUntil: 'commit' })
  const field = page.getByLabel('Find people')
  await field.fill('ben@demo.test')
  scripts.letGo()
  await expect(page).toHaveURL(/\/users\?search=/)
  await expect(field).toHaveValue('ben@demo.test')
})

test('a search keeps its text when Escape ends the choice of an input method, and a link to everybody ends it', async ({
  page,
}) => {
  for (const [path, label] of [
    ['/transactions', 'Search'],
    ['/users', 'Find people'],
  ] as const) {
    await page.goto(path)
    const field = page.getByRole('searchbox', { name: label, exact: true })
    await field.fill('ben@demo.test')
    await expect(page).toHaveURL(/search=/)
    await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
    await expect(field).toHaveValue('ben@demo.test')
    await field.press('Escape')
    await expect(field).toHaveValue('')
  }
  const field = page.getByLabel('Find people')
  await field.fill('ben@demo.test')
  await expect(page).toHaveURL(/\/users\?search=/)
  await page.getByRole('link', { name: 'Everybody' }).click()
  await expect(field).toHaveValue('')
  await expect(page).toHaveURL('/users')
  await expect(page.getByText('ana@demo.test').first()).toBeVisible()
})
