import { expect, type Locator, type Page } from '@playwright/test'
import { sandboxUrl } from './addresses.ts'
import { inDatabase } from './database.ts'
import type { PageState } from './page-state.ts'
import { createEndpointAtService, userUuidOf } from './sandbox.ts'
import { ageSignIn, joinTheTeam, setSession } from './test.ts'

const support = 'support@demo.test'
const admin = 'admin@demo.test'
export const customer = 'ana@demo.test'

type Where = string | ((page: Page) => Promise<unknown>)

/** A button in the main part of the page opens the dialog. */
const asked = (
  as: string | null,
  where: Where,
  button: string | RegExp,
  more: Partial<Opened> = {},
): PageState => ({
  ...opened(as, where, {
    opener: (page) =>
      page
        .getByRole('main')
        .getByRole('button', { name: namedBy(button) })
        .first(),
    panel: (page) => page.locator('[role=alertdialog], [role=dialog]').last(),
    ...more,
  }),
  isOpenedOnce: true,
})

/** A button in a list has hidden words that name its item, after the visible words. */
const namedBy = (button: string | RegExp) => (typeof button === 'string' ? new RegExp(`^${button}`) : button)

interface Opened {
  readonly opener: (page: Page) => Locator
  readonly panel: (page: Page) => Locator
  /** The key replaces the click. */
  readonly key?: string
  /** The test does this inside the dialog. */
  readonly within?: (panel: Locator, page: Page) => Promise<unknown>
}

function opened(as: string | null, where: Where, { opener, panel, key, within }: Opened): PageState {
  return {
    ...(as === null ? {} : { as }),
    async open(page) {
      // A dangerous action needs a sign-in of the last 15 minutes, and the proof runs for longer.
      if (as === admin) await setSession('Demo Admin', 'signed_in_at = now()')
      await goTo(where, page)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(async () => {
        // A click before the page's scripts have loaded has no effect. A dialog that opened late hides its button from
        // screen readers.
        if (await panel(page).isVisible()) return
        if (key === undefined) await opener(page).click({ timeout: 2_000 })
        else await opener(page).focus()
        if (key !== undefined) await page.keyboard.press(key)
        await expect(panel(page)).toBeVisible({ timeout: 3_000 })
      }).toPass({ timeout: 30_000 })
      await expect(panel(page).locator('[aria-busy=true], .animate-breathe')).toHaveCount(0)
      await within?.(panel(page), page)
    },
    over: { panel, opener },
  }
}

const goTo = (where: Where, page: Page) => (typeof where === 'string' ? page.goto(where) : where(page))

/** The focus stays on a popover's button, and Tab moves it inside. */
const intoPopover = (_: Locator, page: Page) => page.keyboard.press('Tab')

const userMenu = (as: string, at: string): PageState =>
  opened(as, at, {
    opener: (page) => page.getByRole('banner').locator('[popovertarget=user-menu]'),
    panel: (page) => page.locator('#user-menu'),
    within: intoPopover,
  })

const palette = (within?: Opened['within']): PageState =>
  opened(admin, '/transactions', {
    opener: (page) => page.getByRole('banner').locator('[popovertarget=user-menu]'),
    panel: (page) => page.getByRole('dialog', { name: 'Find anything' }),
    key: 'ControlOrMeta+k',
    ...(within ? { within } : {}),
  })

const ours: Where = (page) => openLink(page, '/endpoints', 'Rampart (this dashboard)')

/** The endpoint delivers to another address. The page shows its secret when it is rotated. */
const elsewhere: Where = async (page) => {
  await createEndpointAtService(`${sandboxUrl}/receiver`, 'Ledger of the merchant')
  await openLink(page, '/endpoints', 'Ledger of the merchant')
}

async function openLink(page: Page, list: string, name: string) {
  await page.goto(list)
  await page.getByRole('link', { name, exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
}

const firstOf =
  (list: string, kind: string): Where =>
  async (page) => {
    await page.goto(list)
    await page.locator(`main a[href^="/${kind}/"]:not([href$="/new"]):visible`).first().click()
    await page.waitForURL(new RegExp(`/${kind}/[0-9a-f-]{36}`))
  }

const person: Where = async (page) => page.goto(`/users/${await userUuidOf(customer)}`)

/** The transaction has a note by this admin and is opened again, because the page changes when its stored drafts arrive. */
const noted: Where = async (page) => {
  await page.goto('/transactions?step=SUCCESS&sort=amount')
  await page.locator('main a[href^="/transactions/"]:visible').first().click()
  await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
  const notes = page.getByRole('region', { name: 'Notes' })
  if (await notes.getByRole('button', { name: 'Remove…' }).first().isVisible()) return
  await notes.getByRole('button', { name: 'Add a note' }).click()
  await notes.getByRole('textbox').first().fill('The bank was asked; the answer is on its way.')
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByRole('button', { name: 'Remove…' }).first()).toBeVisible()
  await page.reload()
}

/** The customer is also signed in in two other browsers. */
const signInTwiceMore = async () =>
  inDatabase(
    `INSERT INTO session (id, token_digest, user_uuid, method, role, user_agent, ip, idle_expires_at, expires_at)
     SELECT gen_random_uuid(), sha256(browser::bytea), $1, 'code', 'end-user', browser, '203.0.113.7',
       now() + interval '1 day', now() + interval '1 day'
     FROM unnest(ARRAY['Mozilla/5.0 (iPhone)', 'Mozilla/5.0 (iPad)']) AS browser ON CONFLICT DO NOTHING`,
    [await userUuidOf(customer)],
  )

const signedInElsewhere: Where = async (page) => {
  await signInTwiceMore()
  await page.goto('/account/sign-ins')
}

const personSignedIn: Where = async (page) => {
  await signInTwiceMore()
  await goTo(person, page)
}

/** Dialogs, menus and popovers open over a page with the focus inside. Escape closes them and returns the focus. */
export const dialogStates: Record<string, PageState> = {
  'dialog-palette': palette(),
  'dialog-palette-found': palette(async (panel, page) => {
    await page.keyboard.type('ana')
    await expect(panel.getByRole('option').filter({ hasText: 'ana@demo.test' }).first()).toBeVisible()
  }),
  'dialog-palette-nothing': palette(async (panel, page) => {
    await page.keyboard.type('5.49x')
    await expect(panel.getByText('No ID and no amount')).toHaveCount(1)
    await expect(panel.getByText('Nothing found for “5.49x”.')).toBeVisible()
  }),
  'dialog-keys': opened(support, '/transactions', {
    opener: (page) => page.getByRole('banner').locator('[popovertarget=user-menu]'),
    panel: (page) => page.getByRole('dialog', { name: 'Keys' }),
    key: '?',
  }),
  'dialog-navigation': {
    ...opened(support, '/overview', {
      opener: (page) => page.getByRole('button', { name: 'Open navigation' }),
      panel: (page) => page.getByRole('dialog', { name: 'Navigation' }),
    }),
    upTo: 1_023,
  },
  'dialog-user-menu': userMenu(support, '/overview'),
  'dialog-user-menu-customer': userMenu(customer, '/account'),
  'dialog-more-menu': opened(admin, firstOf('/transactions?step=ON_HOLD', 'transactions'), {
    opener: (page) => page.getByRole('button', { name: 'More about this transaction' }),
    panel: (page) => page.locator('main [popover]:popover-open'),
    within: intoPopover,
  }),
  'dialog-copy-reply': opened(support, firstOf('/transactions?step=SUCCESS', 'transactions'), {
    opener: (page) => page.getByRole('button', { name: /^The reply is in / }),
    panel: (page) => page.getByRole('dialog', { name: 'Reply to the customer' }),
    within: intoPopover,
  }),
  'dialog-filters': opened(support, '/transactions', {
    opener: (page) => page.getByRole('button', { name: /^More filters/ }),
    panel: (page) => page.getByRole('region', { name: 'More filters' }),
    within: (panel) => panel.getByLabel('Reason', { exact: true }).focus(),
  }),
  'dialog-filter-person': opened(support, '/transactions', {
    opener: (page) => page.getByRole('button', { name: /^More filters/ }),
    panel: (page) => page.getByRole('region', { name: 'More filters' }),
    async within(panel) {
      await panel.getByLabel('Person').fill('Demo')
      await panel.getByLabel('Person').press('Enter')
      await expect(panel.getByRole('list', { name: 'People found' })).toBeVisible()
    },
  }),
  'dialog-export': asked(admin, '/transactions', /^Export…/),
  'dialog-mute': asked(admin, '/overview', 'Snooze…'),
  'dialog-close-gap': asked(admin, firstOf('/gaps', 'gaps'), /^(Close|Reopen)…$/),
  'dialog-endpoint-change': asked(admin, ours, 'Change…'),
  'dialog-endpoint-rotate': asked(admin, ours, 'Rotate secret…'),
  'dialog-endpoint-disable': asked(admin, ours, 'Disable…'),
  'dialog-endpoint-delete': asked(admin, ours, 'Delete…'),
  'dialog-endpoint-activate': asked(
    admin,
    (page) => openLink(page, '/endpoints?status=auto_disabled', 'Payments only'),
    'Activate…',
  ),
  'dialog-endpoint-replace': asked(admin, elsewhere, 'Replace…'),
  'dialog-endpoint-wrong': asked(admin, elsewhere, 'Replace…', {
    async within(panel) {
      await panel.getByLabel('Address of the second endpoint').fill('nowhere')
      await panel.getByRole('button', { name: 'Replace', exact: true }).click()
      await expect(panel.locator('[aria-invalid=true]').first()).toBeVisible()
    },
  }),
  'dialog-endpoint-secret': withoutWayBack(
    asked(admin, elsewhere, 'Rotate secret…', {
      async within(panel) {
        await panel.getByLabel('Reason', { exact: true }).fill('a screen of it')
        await panel.getByRole('button', { name: 'Rotate secret', exact: true }).click()
        await expect(panel.getByLabel('Signing secret')).toBeVisible()
      },
    }),
  ),
  'dialog-endpoint-leave': withoutWayBack(
    asked(admin, elsewhere, 'Rotate secret…', {
      async within(panel, page) {
        await panel.getByLabel('Reason', { exact: true }).fill('a screen of it')
        await panel.getByRole('button', { name: 'Rotate secret', exact: true }).click()
        await expect(panel.getByLabel('Signing secret')).toBeVisible()
        await page.keyboard.press('Escape')
        await expect(page.getByRole('button', { name: 'Leave without it' })).toBeVisible()
      },
    }),
  ),
  'dialog-confirm-first': asked(
    null,
    async (page) => {
      await joinTheTeam(page, 'Aged Admin')
      await ageSignIn('Aged Admin')
      await goTo(ours, page)
    },
    'Delete…',
  ),
  'dialog-person-erase': asked(admin, person, 'Erase…'),
  'dialog-accounts-export': asked(admin, '/accounts', 'Export…'),
  'dialog-companies-export': asked(admin, '/companies', 'Export…'),
  'dialog-person-export': asked(admin, person, 'Export…'),
  'dialog-person-sign-outs': asked(admin, personSignedIn, 'End all…'),
  'dialog-invite': asked(admin, '/team', 'Invite…'),
  'dialog-member-role': asked(admin, (page) => openLink(page, '/team', 'Demo Support'), 'Change role…'),
  'dialog-member-remove': asked(admin, (page) => openLink(page, '/team', 'Demo Support'), 'Remove…'),
  'dialog-passkey': asked(admin, '/profile', 'Add a passkey…'),
  'dialog-key': asked(admin, '/settings', 'Replace the API key…'),
  'dialog-brand': asked(admin, '/settings', 'Change brand…'),
  'dialog-rules': asked(admin, '/settings', 'Change rules…'),
  'dialog-channel-add': asked(admin, '/settings/alerts', 'Add a channel…'),
  'dialog-alert-rule': asked(admin, '/settings/alerts', 'Change… Endpoint off'),
  'dialog-retention': asked(admin, '/settings', 'Change retention…'),
  'dialog-log-months': asked(admin, '/settings', 'Change months…'),
  'dialog-sentence': asked(admin, '/settings/words?language=de', 'Change…', {
    within: (panel) => expect(panel.getByRole('status')).not.toBeEmpty(),
  }),
  'dialog-alerts-export': asked(admin, '/alerts', 'Export…'),
  'dialog-audit-export': asked(admin, '/audit', 'Export CSV…'),
  'dialog-replay-results': asked(admin, firstOf('/replays', 'replays'), 'Export CSV…'),
  'dialog-note-remove': asked(admin, noted, 'Remove…'),
  'dialog-dead-letters': asked(
    admin,
    async (page) => {
      await inDatabase(
        `INSERT INTO delivery_pending (delivery_id, dead_lettered_at, error)
         SELECT id, now(), 'A rule of another day' FROM delivery ORDER BY seq LIMIT 2 ON CONFLICT DO NOTHING`,
      )
      await page.goto('/overview')
      const more = page
        .getByRole('region', { name: 'Alerts' })
        .locator(':scope > details:not([open]) > summary')
      if ((await more.count()) > 0) await more.click()
    },
    'Try again…',
  ),
  'dialog-sign-out-elsewhere': asked(customer, signedInElsewhere, 'Sign out everywhere else…'),
  'dialog-sign-out-elsewhere-german': {
    ...asked(customer, signedInElsewhere, 'Überall sonst abmelden…'),
    locale: 'de-DE',
  },
}

/** The page itself asks before a person leaves it. */
function withoutWayBack({ over: _, ...state }: PageState): PageState {
  return state
}
