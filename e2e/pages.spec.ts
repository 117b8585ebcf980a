import type { Locator, Page } from '@playwright/test'
import { inDatabase } from './database.ts'
import { customer } from './dialog-states.ts'
import { expectRoomForFingers } from './fingers.ts'
import { expectGerman } from './german.ts'
import { openOnceItSays } from './open-once.ts'
import type { PageState } from './page-state.ts'
import { stateOf } from './people.ts'
import { playScenario, sendEvent, userUuidOf } from './sandbox.ts'
import { everyWidth, heightOf, isProof, readShift } from './screens.ts'
import { statesOfProof } from './states.ts'
import { expect, expectComplaint, expectWhole, setSession, test } from './test.ts'

const support = 'support@demo.test'
const admin = 'admin@demo.test'

/**
 * Every page is loaded once and seen at every width, in light and dark. Nothing may be cut off, and axe must find nothing.
 * Pages of customers are in German, whose words are longer. `statesOfProof` has further states of these pages.
 */
const pages: Record<string, PageState> = {
  'sign-in-code': {
    locale: 'de-DE',
    open: async (page) => {
      await page.goto('/sign-in')
      await page.getByLabel('E-Mail', { exact: true }).fill('niemand')
      await page.getByRole('button', { name: 'Code senden' }).click()
      await expect(page.getByText('Das ist keine E-Mail-Adresse. Beispiel: ana@demo.test')).toBeVisible()
      await page.getByLabel('E-Mail', { exact: true }).fill(`niemand${crypto.randomUUID()}@demo.test`)
      await page.getByRole('button', { name: 'Code senden' }).click()
      await expect(page.getByLabel('Code', { exact: true })).toBeVisible()
    },
  },
  'sign-up': {
    locale: 'de-DE',
    open: async (page) => {
      await page.goto('/sign-up')
      await expect(page.getByRole('heading', { level: 1, name: 'Konto anlegen' })).toBeVisible()
    },
  },
  transactions: { as: support, open: (page) => page.goto('/transactions') },
  'transaction-reveal': {
    as: support,
    open: async (page) => {
      const uuid = await playScenario('fiat-to-crypto', await userUuidOf('ben@demo.test'), 1_000)
      await succeeded(uuid)
      await page.goto(`/transactions/${uuid}`)
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
  'no-access': {
    as: support,
    open: async (page) => {
      expectComplaint(page, 403, '/replays')
      await page.goto('/replays')
      await expect(page.getByRole('button', { name: 'Copy a request for an admin' })).toBeVisible()
    },
  },
  go: { as: support, open: (page) => page.goto('/go') },
  overview: {
    as: support,
    open: async (page) => {
      await page.goto('/overview?period=week')
      await page.getByText('As a table').click()
      await expect(page.getByRole('columnheader', { name: 'Hour from' })).toBeVisible()
    },
  },
  alerts: { as: admin, open: (page) => page.goto('/alerts') },
  'alerts-mine': { as: support, open: (page) => page.goto('/alerts/mine') },
  gaps: { as: admin, open: (page) => page.goto('/gaps') },
  timeline: { as: support, open: (page) => page.goto('/timeline') },
  accounts: { as: support, open: (page) => page.goto('/accounts') },
  'account-reveal': {
    as: support,
    open: async (page) => {
      const account = crypto.randomUUID()
      const data = { uuid: account, currency: 'EUR', status: 'ACTIVE', iban: 'ES9121000418450200051332' }
      await send('unblockBankAccount', await userUuidOf('ben@demo.test'), data)
      await openOnceItSays(page, `/accounts/${account}`, 'Reveal')
      // The sign-in may be a quarter of an hour old by now.
      await setSession('Demo Support', 'signed_in_at = now()')
      await page.getByRole('button', { name: 'Reveal' }).first().click()
      await expect(page.getByRole('button', { name: 'The customer asks' })).toBeVisible()
    },
  },
  companies: {
    as: support,
    open: async (page) => {
      const company = crypto.randomUUID()
      await send('KYB', company, { status: 'KYB_PENDING' })
      await openOnceItSays(page, '/companies', `/companies/${company}`)
    },
  },
  company: {
    as: support,
    open: async (page) => {
      const company = crypto.randomUUID()
      await send('KYB', company, { status: 'KYB_PENDING' })
      await send('entityStatusUpdate', company, { status: 'SUSPENDED' })
      await openOnceItSays(page, `/companies/${company}`, 'Company is suspended, and is being verified')
      const list = page.getByRole('navigation', { name: 'Where you are' }).getByRole('link')
      await expect(list).toHaveText('Companies')
      await expect(list).toHaveAttribute('href', '/companies')
    },
  },
  endpoints: { as: admin, open: (page) => page.goto('/endpoints') },
  'endpoint-new': { as: admin, open: (page) => page.goto('/endpoints/new') },
  endpoint: {
    as: admin,
    open: async (page) => {
      await page.goto('/endpoints')
      await page.getByRole('link', { name: 'Rampart (this dashboard)' }).click()
      await page.waitForURL(/\/endpoints\/[0-9a-f-]{36}/)
    },
  },
  users: { as: support, open: (page) => page.goto('/users') },
  user: {
    as: support,
    open: async (page) => {
      await page.goto(`/users/${await userUuidOf('ana@demo.test')}`)
      await expect(page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').first()).toBeVisible()
    },
  },
  'user-new': { as: admin, open: (page) => page.goto('/users/new') },
  'users-import': { as: admin, open: (page) => page.goto('/users/import') },
  'set-up-used-link': {
    open: async (page) => {
      await page.goto(`/set-up#${'A'.repeat(43)}`)
      await page.getByRole('button', { name: 'Open the link' }).click()
      await expect(page.getByRole('heading', { name: 'You were sent a link to Rampart' })).toBeVisible()
      await expect(page.locator('main [role=alert], [role=alert]').first()).toBeVisible()
      await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
    },
  },
  notices: { as: admin, open: (page) => page.goto('/notices') },
  team: { as: admin, open: (page) => page.goto('/team') },
  member: {
    as: admin,
    open: async (page) => {
      const [member] = await inDatabase(`SELECT id FROM member WHERE name = 'Demo Support'`)
      await page.goto(`/team/${Reflect.get(Object(member), 'id')}`)
    },
  },
  profile: { as: admin, open: (page) => page.goto('/profile') },
  audit: { as: admin, open: (page) => page.goto('/audit') },
  settings: {
    as: admin,
    open: async (page) => {
      await page.goto('/settings')
      await expect(page.getByText(/^\(\d+ ms\)/)).toBeVisible()
      await expect(page.getByRole('heading', { name: 'Supported countries' })).toBeVisible()
    },
  },
  'settings-words': { as: admin, open: (page) => page.goto('/settings/words?language=de') },
  'settings-alerts': { as: admin, open: (page) => page.goto('/settings/alerts') },
  replays: { as: admin, open: (page) => page.goto('/replays') },
  'replay-new': { as: admin, open: (page) => page.goto('/replays/new?type=KYC') },
  account: {
    as: customer,
    locale: 'de-DE',
    open: async (page) => {
      await page.goto('/account')
      await expect(page.getByRole('heading', { level: 1, name: 'Mein Konto' })).toBeVisible()
      await expect(page.getByText('Verifizierung', { exact: true })).toBeVisible()
    },
  },
  'account-sign-ins': {
    as: customer,
    locale: 'de-DE',
    open: async (page) => {
      await page.goto('/account/sign-ins')
      await expect(page.getByRole('heading', { level: 1, name: 'Ihre Anmeldungen' })).toBeVisible()
    },
  },
  'account-transaction': {
    as: customer,
    locale: 'de-DE',
    open: async (page) => {
      const uuid = await playScenario('fiat-to-crypto', await userUuidOf(customer))
      await succeeded(uuid)
      await page.goto(`/account/transactions/${uuid}`)
      await expect(page.getByRole('heading', { level: 1 })).toContainText('getauscht')
      await expect(page.getByRole('button', { name: 'Referenz kopieren' })).toBeVisible()
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

const succeeded = (uuid: string) =>
  expect
    .poll(() => inDatabase(`SELECT FROM transaction WHERE uuid = $1 AND step = 'SUCCESS'`, [uuid]))
    .toHaveLength(1)

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
