import type { Locator, Page } from '@playwright/test'
import { expectRoomForFingers } from './fingers.ts'
import { expectGerman } from './german.ts'
import type { PageState } from './page-state.ts'
import { stateOf } from './people.ts'
import { playScenario, sendEvent, userUuidOf } from './sandbox.ts'
import { everyWidth, heightOf, isProof, readShift } from './screens.ts'
import { statesOfProof } from './states.ts'
import { expect, expectComplaint, expectWhole, setSession, test } from './test.ts'

/** Every page is loaded at every width and seen in light and dark. Nothing may be cut off, and axe must find nothing. */
const pages: Record<string, PageState> = {
  'sign-in': { open: (page) => page.goto('/sign-in') },
  'sign-in-code': {
    open: async (page) => {
      await page.goto('/sign-in')
      await page.getByLabel('E-mail', { exact: true }).fill(`nobody${crypto.randomUUID()}@demo.test`)
      await page.getByRole('button', { name: 'Send code' }).click()
      await expect(page.getByLabel('Code', { exact: true })).toBeVisible()
    },
  },
  'sign-up': { open: (page) => page.goto('/sign-up') },
  transactions: { as: 'support@demo.test', open: (page) => page.goto('/transactions') },
  'transactions-held': { as: 'support@demo.test', open: (page) => page.goto('/transactions?step=ON_HOLD') },
  'transactions-nothing': {
    as: 'support@demo.test',
    open: (page) => page.goto('/transactions#ffffffff-0000'),
  },
  'transactions-refused-place': {
    as: 'support@demo.test',
    open: async (page) => {
      expectComplaint(page, 400, /^\/api\/transactions\?.*cursor=none/)
      await page.goto('/transactions?sort=amount&cursor=none')
      await expect(page.getByRole('alert').filter({ hasText: 'cannot be read' })).toBeVisible()
    },
  },
  transaction: {
    as: 'support@demo.test',
    open: async (page) => {
      await page.goto('/transactions?step=SUCCESS')
      await page.locator('main a[href^="/transactions/"]:visible').first().click()
      await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
    },
  },
  'transaction-refunded': {
    as: 'support@demo.test',
    open: async (page) => {
      await page.goto('/transactions?step=REFUNDED')
      await page.locator('main a[href^="/transactions/"]:visible').first().click()
      await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
      await expect(page.locator('dt', { hasText: /^(Planned payout|Amount out)/ })).toBeVisible()
      await expect(page.getByRole('link', { name: /^Next in the list, this is 1 of / })).toBeVisible()
    },
  },
  'transaction-more': {
    as: 'admin@demo.test',
    open: async (page) => {
      await page.goto('/transactions?step=ON_HOLD')
      await page.locator('main a[href^="/transactions/"]:visible').first().click()
      await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
      await page.getByRole('button', { name: 'More about this transaction' }).click()
      await expect(page.getByRole('link', { name: 'Replay webhooks' })).toBeVisible()
    },
  },
  'transaction-unknown': {
    as: 'support@demo.test',
    open: (page) => {
      const path = '/transactions/00000000-0000-4000-8000-000000000000'
      expectComplaint(page, 404, path)
      return page.goto(path)
    },
  },
  'no-access': {
    as: 'support@demo.test',
    open: async (page) => {
      expectComplaint(page, 403, '/replays')
      await page.goto('/replays')
      await expect(page.getByRole('button', { name: 'Copy a request for an admin' })).toBeVisible()
    },
  },
  'no-access-customer': {
    as: 'ana@demo.test',
    open: (page) => {
      expectComplaint(page, 403, '/transactions')
      return page.goto('/transactions')
    },
  },
  go: { as: 'support@demo.test', open: (page) => page.goto('/go') },
  'transaction-reveal': {
    as: 'support@demo.test',
    open: async (page) => {
      const uuid = await playScenario('fiat-to-crypto', await userUuidOf('ben@demo.test'), 1_000)
      await openFromList(page, '/transactions', `/transactions/${uuid}`)
      await expect(page.getByRole('heading', { level: 1, name: /became/ })).toBeVisible()
      await page.getByRole('button', { name: 'Reveal' }).click()
      await page.getByText('Verify caller details').click()
      await page
        .getByRole('button', { name: /^Deliveries and body of / })
        .first()
        .click()
      await page.getByRole('button', { name: 'Show as it came' }).first().click()
      await expect(page.getByRole('button', { name: 'The customer asks' })).toHaveCount(2)
      // A button half under the header would be too small.
      await page.evaluate(() => scrollTo(0, 0))
    },
  },
  overview: { as: 'support@demo.test', open: (page) => page.goto('/overview') },
  alerts: { as: 'admin@demo.test', open: (page) => page.goto('/alerts') },
  'alerts-nothing': {
    as: 'support@demo.test',
    open: (page) => page.goto('/alerts?condition=audit-broken&state=resolved'),
  },
  'alerts-mine': { as: 'support@demo.test', open: (page) => page.goto('/alerts/mine') },
  gaps: { as: 'admin@demo.test', open: (page) => page.goto('/gaps') },
  timeline: { as: 'support@demo.test', open: (page) => page.goto('/timeline') },
  accounts: { as: 'support@demo.test', open: (page) => page.goto('/accounts') },
  'accounts-failed-lately': { as: 'support@demo.test', open: (page) => page.goto('/accounts?look=1') },
  'accounts-nothing': { as: 'support@demo.test', open: (page) => page.goto('/accounts?state=NONE') },
  'account-details': {
    as: 'support@demo.test',
    open: async (page) => {
      const account = crypto.randomUUID()
      const data = { uuid: account, currency: 'EUR', status: 'FAILED_CREATION', error: 'The bank said no' }
      await send('unblockBankAccount', await userUuidOf('ben@demo.test'), data)
      await openFromList(page, '/accounts', `/accounts/${account}`)
    },
  },
  'account-reveal': {
    as: 'support@demo.test',
    open: async (page) => {
      const account = crypto.randomUUID()
      const data = { uuid: account, currency: 'EUR', status: 'ACTIVE', iban: 'ES9121000418450200051332' }
      await send('unblockBankAccount', await userUuidOf('ben@demo.test'), data)
      await openFromList(page, '/accounts', `/accounts/${account}`)
      // The sign-in may be a quarter of an hour old by now.
      await setSession('Demo Support', 'signed_in_at = now()')
      await page.getByRole('button', { name: 'Reveal' }).first().click()
      await expect(page.getByRole('button', { name: 'The customer asks' })).toBeVisible()
    },
  },
  companies: {
    as: 'support@demo.test',
    open: async (page) => {
      const company = crypto.randomUUID()
      await send('KYB', company, { status: 'KYB_PENDING' })
      await findInList(page, '/companies', `/companies/${company}`)
    },
  },
  'companies-failed-lately': {
    as: 'support@demo.test',
    open: async (page) => {
      const company = crypto.randomUUID()
      await send('KYB', company, { status: 'KYB_FAILED' })
      await findInList(page, '/companies?look=1', `/companies/${company}`)
    },
  },
  company: {
    as: 'support@demo.test',
    open: async (page) => {
      const company = crypto.randomUUID()
      await send('KYB', company, { status: 'KYB_PENDING' })
      await send('entityStatusUpdate', company, { status: 'SUSPENDED' })
      await openFromList(page, '/companies', `/companies/${company}`)
      const list = page.getByRole('navigation', { name: 'Where you are' }).getByRole('link')
      await expect(page.getByRole('heading', { level: 1 })).toContainText(
        'Company is suspended, and is being verified',
      )
      await expect(list).toHaveText('Companies')
      await expect(list).toHaveAttribute('href', '/companies')
    },
  },
  endpoints: { as: 'admin@demo.test', open: (page) => page.goto('/endpoints') },
  'endpoints-switched-off': {
    as: 'admin@demo.test',
    open: async (page) => {
      await page.goto('/endpoints?status=auto_disabled')
      await expect(page.getByRole('link', { name: 'Payments only' })).toBeVisible()
    },
  },
  'endpoint-switched-off': {
    as: 'admin@demo.test',
    open: async (page) => {
      await page.goto('/endpoints?status=auto_disabled')
      await page.getByRole('link', { name: 'Payments only' }).click()
      await expect(page.getByText('The provider switched this endpoint off.')).toBeVisible()
    },
  },
  'endpoint-new': { as: 'admin@demo.test', open: (page) => page.goto('/endpoints/new') },
  endpoint: {
    as: 'admin@demo.test',
    open: async (page) => {
      await page.goto('/endpoints')
      await page.getByRole('link', { name: 'Rampart (this dashboard)' }).click()
      await page.waitForURL(/\/endpoints\/[0-9a-f-]{36}/)
    },
  },
  users: { as: 'support@demo.test', open: (page) => page.goto('/users') },
  'users-to-look-at': { as: 'admin@demo.test', open: (page) => page.goto('/users?look=1') },
  user: {
    as: 'support@demo.test',
    open: async (page) => {
      await page.goto(`/users/${await userUuidOf('ana@demo.test')}`)
      await expect(page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first()).toBeVisible()
    },
  },
  'user-unknown': {
    as: 'support@demo.test',
    open: (page) => {
      const path = '/users/00000000-0000-4000-8000-000000000000'
      expectComplaint(page, 404, path)
      return page.goto(path)
    },
  },
  'user-new': { as: 'admin@demo.test', open: (page) => page.goto('/users/new') },
  'users-import': { as: 'admin@demo.test', open: (page) => page.goto('/users/import') },
  'set-up-without-link': { open: (page) => page.goto('/set-up') },
  'set-up-used-link': {
    open: async (page) => {
      await page.goto(`/set-up#${'A'.repeat(43)}`)
      await page.getByRole('button', { name: 'Open the link' }).click()
      await expect(page.getByRole('heading', { name: 'You were sent a link to Rampart' })).toBeVisible()
      await expect(page.locator('main [role=alert], [role=alert]').first()).toBeVisible()
      await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
    },
  },
  notices: { as: 'admin@demo.test', open: (page) => page.goto('/notices') },
  team: { as: 'admin@demo.test', open: (page) => page.goto('/team') },
  member: {
    as: 'admin@demo.test',
    open: async (page) => {
      await page.goto('/team')
      await page.locator('main a[href^="/team/"]:visible').first().click()
      await page.waitForURL(/\/team\/[0-9a-f-]{36}/)
    },
  },
  profile: { as: 'admin@demo.test', open: (page) => page.goto('/profile') },
  audit: { as: 'admin@demo.test', open: (page) => page.goto('/audit') },
  'audit-nothing': { as: 'admin@demo.test', open: (page) => page.goto('/audit?who=nobody') },
  settings: {
    as: 'admin@demo.test',
    open: async (page) => {
      await page.goto('/settings')
      await expect(page.getByText(/^\(\d+ ms\)/)).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Supported countries' })).toBeVisible()
    },
  },
  'settings-words': { as: 'admin@demo.test', open: (page) => page.goto('/settings/words?language=de') },
  'settings-alerts': { as: 'admin@demo.test', open: (page) => page.goto('/settings/alerts') },
  replays: { as: 'admin@demo.test', open: (page) => page.goto('/replays') },
  'replay-new': { as: 'admin@demo.test', open: (page) => page.goto('/replays/new?type=KYC') },
  account: { as: 'ana@demo.test', open: (page) => page.goto('/account') },
  'account-sign-ins': { as: 'ana@demo.test', open: (page) => page.goto('/account/sign-ins') },
  'account-transaction': {
    as: 'ana@demo.test',
    open: async (page) => {
      await page.goto('/account')
      await page.locator('main a[href^="/account/transactions/"]:visible').first().click()
      await page.waitForURL(/\/account\/transactions\/[0-9a-f-]{36}/)
    },
  },
}

/** The page must not have shifted since it was loaded. */
async function expectStill(page: Page) {
  const { shift, what } = await readShift(page)
  expect(shift, `layout shift, most of it of “${what}”`).toBeLessThanOrEqual(0.02)
}

/** The focus is inside the open panel. Escape closes it and returns the focus. */
async function expectWayBack(panel: Locator, opener: Locator) {
  const hasFocus = () => panel.evaluate((element) => element.contains(document.activeElement))
  await expect.poll(hasFocus, 'the focus is in what is open').toBe(true)
  await panel.page().keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(opener).toBeFocused()
}

const send = (type: string, uuid: string, data: object) =>
  sendEvent({ type, subType: 'statusUpdate', uuid, data })

/** The list is loaded again until it shows what was just sent. */
const findInList = (page: Page, list: string, path: string) =>
  expect(async () => {
    await page.goto(list)
    await expect(page.locator(`main a[href="${path}"]:visible`)).toHaveCount(1, { timeout: 1_000 })
  }).toPass()

async function openFromList(page: Page, list: string, path: string) {
  await findInList(page, list, path)
  await page.goto(path)
}

/** A state opened at one width is seen at these widths. */
function widthsFrom(width: number, { upTo = Number.POSITIVE_INFINITY, isOpenedOnce = false }: PageState) {
  const widths = everyWidth.filter((one) => one <= upTo)
  if (isOpenedOnce) return width === widths[0] ? widths : []
  return widths.filter((one) => one === width)
}

// The proof sees so much that each width is a test of its own, with the page opened again.
for (const widths of isProof ? everyWidth.map((width) => [width]) : [everyWidth])
  test.describe(`${widths.join(' and ')} px`, () => {
    const width = Math.min(...widths)
    for (const [name, state] of Object.entries({ ...pages, ...(isProof ? statesOfProof : {}) }))
      test.describe(() => {
        const { as, locale, open, over } = state
        if (as) test.use({ storageState: stateOf(as) })
        if (locale) test.use({ locale })
        const seenAt = isProof ? widthsFrom(width, state) : widths
        if (seenAt.length === 0) return
        test(`${name} is whole and accessible`, async ({ page }) => {
          await page.setViewportSize({ width, height: heightOf(width) })
          await open(page)
          // A dialog over a page hides it from screen readers.
          await expect(page.locator('h1:visible').first()).toBeVisible()
          if (locale === 'de-DE') await expectGerman(page)
          await expectWhole(page, name, seenAt)
          if (isProof) await expectStill(page)
          if (width <= 768) await expectRoomForFingers(page)
          if (over) await expectWayBack(over.panel(page), over.opener(page))
        })
      })
  })

test('link previews, browsers and search engines get what stands in public/', async ({
  request,
  baseURL,
}) => {
  for (const file of ['icon.svg', 'favicon.ico', 'social.png', 'robots.txt'])
    expect((await request.get(`/${file}`)).status(), file).toBe(200)
  expect(await (await request.get('/sign-in')).text()).toContain(
    `property="og:image" content="${baseURL}/social.png"`,
  )
})
