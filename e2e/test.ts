import path from 'node:path'
import { test as base, type ConsoleMessage, expect, type Locator, type Page } from '@playwright/test'
import type { RunOptions } from 'axe-core'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rampartUrl } from './addresses.ts'
import { findWithAxe } from './axe.ts'
import { callAction } from './call-action.ts'
import { inDatabase } from './database.ts'
import { expectKeyboardReachesAll } from './keyboard-walk.ts'
import { newestCode } from './sandbox.ts'
import { endShifts, everyWidth, heightOf, isProof, listMoving, setTextSize, watchShifts } from './screens.ts'
import { findUnreadable } from './unreadable.ts'

/** A test fails on any unexpected console error, page error or call to another host. */
export const test = base.extend<{ page: Page }>({
  page: async ({ page }, use) => {
    const complaints: string[] = []
    const met = new Set<Expected>()
    page.on('console', (message) => {
      if (message.type() !== 'error' && !isProof) return
      const refused = expected(page).find((one) => one.is(message))
      if (refused) met.add(refused)
      else complaints.push(`console: ${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => complaints.push(`page: ${error.message}`))
    page.on('request', (request) => {
      const { hostname, protocol } = new URL(request.url())
      if (protocol.startsWith('http') && hostname !== 'localhost') complaints.push(`call to ${request.url()}`)
    })
    if (isProof) await watchShifts(page)
    // All tests call from one address, and one test must not use up the others' hourly limit.
    await inDatabase(`DELETE FROM rate_limit WHERE key LIKE '%-per-ip%'`)
    // A run may take longer than a fresh sign-in lasts. A test makes one old by a time before its session began.
    await inDatabase(`
      UPDATE session SET signed_in_at = now()
      WHERE ended_at IS NULL AND signed_in_at BETWEEN created_at AND now() - interval '5 minutes'`)
    await use(page)
    expect(complaints).toEqual([])
    expect(expected(page).filter((one) => one.certain && !met.has(one))).toEqual([])
  },
})

export { expect }

interface Expected {
  /** The text is for people. */
  readonly what: string
  readonly is: (message: ConsoleMessage) => boolean
  /** The test fails when a certain complaint is missing. */
  readonly certain: boolean
}

const allowed = new WeakMap<Page, Expected[]>()
const expected = (page: Page) => allowed.get(page) ?? []
const allow = (page: Page, one: Expected) =>
  allowed.set(page, [...expected(page).filter(({ what }) => what !== one.what), one])

/** The browser writes this line about an error answer. `address` is the path and the query, or a pattern of them. */
const answered = (status: number, address: string | RegExp) => ({
  what: `${status} of ${address}`,
  is: (message: ConsoleMessage) => {
    if (!message.text().includes(`the server responded with a status of ${status} `)) return false
    const { pathname, search } = new URL(message.location().url)
    const path = pathname + search
    return typeof address === 'string' ? path === address : address.test(path)
  },
})

/** The test provokes an answer of which the browser complains. It fails without that complaint. */
export function expectComplaint(page: Page, status: number, address: string | RegExp) {
  allow(page, { ...answered(status, address), certain: true })
}

/** The answer comes only sometimes: when other traffic makes the page ask at that moment, or when the service is in time. */
export function tolerateComplaint(page: Page, status: number, address: string | RegExp) {
  allow(page, { ...answered(status, address), certain: false })
}

/** The test cuts the network. What the page asks for meanwhile fails. */
export function tolerateNoNetwork(page: Page) {
  const is = (message: ConsoleMessage) => message.text().includes('ERR_INTERNET_DISCONNECTED')
  allow(page, { what: 'a request without a network', is, certain: false })
}

/** The test makes the server fail to render the next page. It fails when React does not complain. */
export function expectUndrawnPage(page: Page) {
  // React uses this number for a failure on the server.
  const is = (message: ConsoleMessage) => message.text().includes('Minified React error #441')
  allow(page, { what: 'a page that the server could not draw', is, certain: true })
}

/** axe checks these rules. */
const everything: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/**
 * axe must find nothing that WCAG 2.2 AA forbids, as far as a program can tell. A finding from the middle of a change is
 * gone a second later. A real fault stays, and is reported with the colours and sizes that axe measured.
 */
export async function expectAccessible(page: Page) {
  if ((await findWithAxe(page, everything)).length === 0) return
  await page.waitForTimeout(1_000)
  expect(await findWithAxe(page, everything)).toEqual([])
}

/**
 * At each width in pixels nothing may be cut off. A wide page is light and a narrow one dark. axe, which takes as long as
 * loading the page, must find nothing at one of them, by turns. The proof checks all, walks with Tab and enlarges the text. SCREENSHOTS=FOLDER keeps the pictures under this name.
 */
export async function expectWhole(page: Page, name: string, widths = everyWidth) {
  const before = page.viewportSize()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const [nth, width] of widths.entries()) {
    await page.setViewportSize({ width, height: heightOf(width) })
    for (const colorScheme of schemesAt(width)) {
      await page.emulateMedia({ colorScheme })
      await expectNotSideways(page, `at ${width} px`)
      if (isProof || nth === name.length % widths.length) await expectAccessible(page)
      await keepPicture(page, `${name}-${colorScheme}-${width}`)
    }
    if (!isProof) continue
    await expectKeyboardReachesAll(page)
    await endShifts(page)
    await expectReadable(page, name, width)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (before) await page.setViewportSize(before)
}

const schemesAt = (width: number): readonly ('light' | 'dark')[] =>
  isProof ? ['light', 'dark'] : [width < 600 ? 'dark' : 'light']

export async function expectNotSideways(page: Page, when: string) {
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(sideways, `pixels that the page scrolls sideways ${when}`).toBeLessThanOrEqual(0)
}

/** The page is checked with text of twice the size and with reduced motion. */
async function expectReadable(page: Page, name: string, width: number) {
  expect(await listMoving(page), 'what moves although less movement is wanted').toEqual([])
  await expectTextWhole(page, `at ${width} px`)
  await setTextSize(page, 32)
  await expectNotSideways(page, `at ${width} px with text at 200 %`)
  await expectTextWhole(page, `at ${width} px with text at 200 %`)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px')
  await keepPictureOfLargeText(page, `${name}-large-${width}`)
  await setTextSize(page, 16)
}

/** A change of the window's height, even for a picture, resets the text size, so the height is set first. */
async function keepPictureOfLargeText(page: Page, name: string) {
  const before = page.viewportSize()
  if (!process.env.SCREENSHOTS || !before) return
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width: before.width, height })
  await setTextSize(page, 32)
  await keepPicture(page, name)
  await page.setViewportSize(before)
}

/** A page that follows the traffic may be rendering at this moment, so a finding must persist. */
async function expectTextWhole(page: Page, when: string) {
  if ((await findUnreadable(page)).length === 0) return
  await page.waitForTimeout(1_000)
  expect(await findUnreadable(page), `text that cannot be read ${when}`).toEqual([])
}

async function keepPicture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true })
}

/** The page has a live connection, of its own or through another tab. */
export const expectLive = (page: Page) =>
  expect(page.locator('header [data-connection=live]').first()).toBeVisible()

/** The function opens the other alerts of a page, beside the worst one. */
export async function openAlerts(page: Page) {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const more = page.getByRole('region', { name: 'Alerts' }).locator(':scope > details:not([open]) > summary')
  if ((await more.count()) > 0) await more.click()
}

/** The function signs in with an e-mail code from the sandbox's mailbox, and waits when the page asks for it. */
export async function signInByCode(page: Page, email: string) {
  const since = new Date()
  await page.goto('/sign-in')
  await page.getByLabel('E-mail', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await expect(page.getByLabel('Code', { exact: true })).toBeVisible()
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(page, email, since))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
}

/** When this person's last code was sent a moment ago and is used, the function asks for another one after the pause. */
async function codeFor(page: Page, email: string, since: Date): Promise<string> {
  const first = await newestCode(email, since)
  if (first) return first
  await page.getByRole('button', { name: 'Send a new code' }).click({ timeout: 45_000 })
  const second = await newestCode(email, since)
  if (!second) throw new Error(`No code for ${email} arrived`)
  return second
}

/**
 * A new throw-away wallet signs in by the same requests as its page, and its owner becomes a member. The browser keeps the
 * wallet.
 */
export async function joinTheTeam(page: Page, name: string, role = 'admin') {
  const key = generatePrivateKey()
  const wallet = privateKeyToAccount(key)
  const { request } = page
  const call = (action: string, form: object) => callAction(request, action, form, `${rampartUrl}/sign-in`)
  const sign = async (action: string) => {
    const answer = await call(action, { address: wallet.address, chainId: 1 })
    const message: string = JSON.parse(/"message":("(?:[^"\\]|\\.)+")/.exec(answer)?.[1] ?? answer)
    return { message, signature: await wallet.signMessage({ message }) }
  }
  await call('createThrowAwayAccountAction', { wallet: await sign('issueSignUpChallengeAction') })
  const proof = await sign('issueChallengeAction')
  const { csrfToken } = await (await request.get('/api/auth/csrf')).json()
  const form = { ...proof, csrfToken, callbackUrl: '/', json: 'true' }
  const headers = { origin: rampartUrl }
  const answer = await request.post('/api/auth/callback/wallet', { form, headers })
  expect(await answer.text()).toBe(JSON.stringify({ url: rampartUrl }))
  await inDatabase(
    `INSERT INTO member (id, user_uuid, name, role)
     SELECT gen_random_uuid(), user_uuid, $2, $3 FROM person WHERE target_address = $1`,
    [wallet.address, name, role],
  )
  await page.addInitScript((kept) => {
    if (!location.protocol.startsWith('http')) return
    if (!localStorage.getItem('rampart.throw-away-wallet'))
      localStorage.setItem('rampart.throw-away-wallet', kept)
  }, `${key} ${wallet.address}`)
}

/** The function changes the sessions of the member with this name. `set` is what follows SET in SQL. */
export const setSession = (name: string, set: string) =>
  inDatabase(
    `UPDATE session SET ${set} WHERE ended_at IS NULL
       AND user_uuid IN (SELECT user_uuid FROM member WHERE name = $1)`,
    [name],
  )

/** The page renders again, as after a change. The member's new name in its header proves it. */
export async function renderAgain(page: Page, name: string) {
  const renamed = `Again ${name}`
  await inDatabase('UPDATE member SET name = $2 WHERE name = $1', [name, renamed])
  await page.evaluate('window.next.router.refresh()')
  await expect(page.locator(`button[aria-label^="${renamed}"]`)).toBeAttached()
}

/** The member's sign-in becomes older than dangerous actions accept. */
export const ageSignIn = (name: string) =>
  setSession(name, `signed_in_at = created_at - interval '16 minutes'`)

/**
 * The function follows a link that opens the sign-in in a new tab, signs in with the same wallet, and sees the tab close.
 */
export async function signInInNewTab(page: Page, link: Locator) {
  const opened = page.context().waitForEvent('page')
  await link.click()
  const tab = await opened
  // A click before the tab's scripts have loaded has no effect.
  await tab.waitForLoadState()
  const closed = tab.waitForEvent('close')
  await tab.getByRole('button', { name: 'Throw-away wallet' }).click()
  await closed
}

/** The browser gets a device that makes passkeys. Its owner confirms each at once. `WebAuthn.disable` takes it away. */
export async function addVirtualAuthenticator(page: Page, able: Partial<Abilities> = {}) {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...ableToAll, ...able },
  })
  return device
}

interface Abilities {
  readonly protocol: 'ctap2' | 'u2f'
  readonly transport: 'internal' | 'usb'
  readonly hasResidentKey: boolean
  readonly hasUserVerification: boolean
  readonly isUserVerified: boolean
  readonly automaticPresenceSimulation: boolean
}

const ableToAll: Abilities = {
  protocol: 'ctap2',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
}

/** The function signs out by the menu in the corner and waits for the sign-in page. */
export async function signOut(page: Page) {
  await page.getByRole('button', { name: /account and appearance/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in/)
}
