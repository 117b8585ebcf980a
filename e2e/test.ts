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

/** A page that fails its test on any unexpected console error, page error or call to another host. */
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
    // All tests call from one address: what it is allowed in an hour is not to be used up by the others.
    await inDatabase(`DELETE FROM rate_limit WHERE key LIKE '%-per-ip%'`)
    await use(page)
    expect(complaints).toEqual([])
    expect(expected(page).filter((one) => one.certain && !met.has(one))).toEqual([])
  },
})

export { expect }

interface Expected {
  /** For people. */
  readonly what: string
  readonly is: (message: ConsoleMessage) => boolean
  /** Whether the test fails without it. */
  readonly certain: boolean
}

const allowed = new WeakMap<Page, Expected[]>()
const expected = (page: Page) => allowed.get(page) ?? []
const allow = (page: Page, one: Expected) =>
  allowed.set(page, [...expected(page).filter(({ what }) => what !== one.what), one])

/** The browser's own line about an answer that is an error; `address`: the path and the query, or a pattern of them. */
const answered = (status: number, address: string | RegExp) => ({
  what: `${status} of ${address}`,
  is: (message: ConsoleMessage) => {
    if (!message.text().includes(`the server responded with a status of ${status} `)) return false
    const { pathname, search } = new URL(message.location().url)
    const path = pathname + search
    return typeof address === 'string' ? path === address : address.test(path)
  },
})

/** Names an answer that the test provokes and of which the browser complains. The test fails without that complaint. */
export function expectComplaint(page: Page, status: number, address: string | RegExp) {
  allow(page, { ...answered(status, address), certain: true })
}

/** Names an answer that comes only sometimes: when traffic beside this test has the page ask just then, or the service is in time. */
export function tolerateComplaint(page: Page, status: number, address: string | RegExp) {
  allow(page, { ...answered(status, address), certain: false })
}

/** The test has the server fail to draw the next page. It fails when React does not complain of that. */
export function expectUndrawnPage(page: Page) {
  // React's number for what failed on the server.
  const is = (message: ConsoleMessage) => message.text().includes('Minified React error #441')
  allow(page, { what: 'a page that the server could not draw', is, certain: true })
}

/** What axe looks for. */
const everything: RunOptions = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
/**
 * Finds nothing that WCAG 2.2 AA forbids, as far as a program can tell. What axe met in the middle of a change of the page
 * is gone when it looks again a second later; a fault stays, and is told with the colours and sizes that axe saw.
 */
export async function expectAccessible(page: Page) {
  if ((await findWithAxe(page, everything)).length === 0) return
  await page.waitForTimeout(1_000)
  expect(await findWithAxe(page, everything)).toEqual([])
}

/**
 * Sees the page as it stands, at each width in pixels: nothing is cut off and axe finds nothing. A wide page is light and a narrow
 * one dark; in the proof each is both, Tab walks through it too, and its text grows. With SCREENSHOTS=FOLDER the pictures are
 * kept under this name.
 */
export async function expectWhole(page: Page, name: string, widths = everyWidth) {
  const before = page.viewportSize()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const width of widths) {
    await page.setViewportSize({ width, height: heightOf(width) })
    for (const colorScheme of schemesAt(width)) {
      await page.emulateMedia({ colorScheme })
      await expectNotSideways(page, `at ${width} px`)
      await expectAccessible(page)
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

/** With text of twice the size, and for somebody who asks that nothing moves. */
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

/** A window that changes its height, be it for a picture, sets the size of text back: first the one, then the other. */
async function keepPictureOfLargeText(page: Page, name: string) {
  const before = page.viewportSize()
  if (!process.env.SCREENSHOTS || !before) return
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  await page.setViewportSize({ width: before.width, height })
  await setTextSize(page, 32)
  await keepPicture(page, name)
  await page.setViewportSize(before)
}

/** What a page that follows the traffic is drawing at this moment is gone when it is looked at again. */
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

/** The page has its connection, of its own or by another tab. */
export const expectLive = (page: Page) =>
  expect(page.locator('header [data-connection=live]').first()).toBeVisible()

/** Opens what a page has to say beside its worst alert. */
export async function openAlerts(page: Page) {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const more = page.getByRole('region', { name: 'Alerts' }).locator(':scope > details:not([open]) > summary')
  if ((await more.count()) > 0) await more.click()
}

/** Signs in with an e-mail code from the sandbox's mailbox, as a person would who waits when asked to. */
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

/** When the last code for this person was sent a moment ago, and used, another one is asked for after the pause. */
async function codeFor(page: Page, email: string, since: Date): Promise<string> {
  const first = await newestCode(email, since)
  if (first) return first
  await page.getByRole('button', { name: 'Send a new code' }).click({ timeout: 45_000 })
  const second = await newestCode(email, since)
  if (!second) throw new Error(`No code for ${email} arrived`)
  return second
}

/**
 * A new throw-away wallet signs in by the requests that its page makes, and its owner becomes a member. The browser keeps the
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

/** Changes the sessions of the member with this name; `set` is what follows SET in SQL. */
export const setSession = (name: string, set: string) =>
  inDatabase(
    `UPDATE session SET ${set} WHERE ended_at IS NULL
       AND user_uuid IN (SELECT user_uuid FROM member WHERE name = $1)`,
    [name],
  )

/** Makes the sign-in of a member older than what dangerous actions accept. */
export const ageSignIn = (name: string) => setSession(name, `signed_in_at = now() - interval '16 minutes'`)

/** Follows a link that opens the sign-in in a new tab, signs in there with the same wallet, and sees the tab close. */
export async function signInInNewTab(page: Page, link: Locator) {
  const opened = page.context().waitForEvent('page')
  await link.click()
  const tab = await opened
  // A click before its scripts are there would be lost.
  await tab.waitForLoadState()
  const closed = tab.waitForEvent('close')
  await tab.getByRole('button', { name: 'Throw-away wallet' }).click()
  await closed
}

/** Gives the browser of this page a device that makes passkeys and whose owner confirms each at once. */
export async function addVirtualAuthenticator(page: Page, able: Partial<Abilities> = {}) {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...ableToAll, ...able },
  })
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

/** Signs out by the menu in the corner and waits for the sign-in page. */
export async function signOut(page: Page) {
  await page.getByRole('button', { name: /account and appearance/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(/\/sign-in/)
}
