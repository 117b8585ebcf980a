import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import { signIn } from '../../bench/installation/installation.ts'
import { type Address, ask } from './exchange.ts'

export interface BrowserStage {
  readonly browser: Browser
  readonly url: string
  readonly sandboxUrl: string
  /** A browser got these answers, which it should not have got. */
  readonly failures: string[]
}

const staffPages = [
  '/overview',
  '/alerts',
  '/alerts/mine',
  '/transactions',
  '/timeline',
  '/accounts',
  '/companies',
  '/users',
  '/users/new',
  '/users/import',
  '/endpoints',
  '/endpoints/new',
  '/gaps',
  '/replays',
  '/replays/new',
  '/audit',
  '/team',
  '/settings',
  '/settings/words',
  '/settings/alerts',
  '/notices',
  '/profile',
]
const customerPages = ['/account', '/account/sign-ins']

/** The browser signs in both ways, opens every page, and does what a merchant's people do. */
export async function browse(stage: BrowserStage): Promise<{ readonly staff: BrowserContext; said: string }> {
  const staff = await newContext(stage)
  await signIn(staff, stage, 'admin@demo.test')
  const page = await staff.newPage()
  for (const path of staffPages) await openPage(page, path)
  await seeOne(page, '/transactions')
  await seeOne(page, '/accounts')
  await seeOne(page, '/users')
  await leaveNote(page)
  await search(page)
  await importPeople(page)
  await exportList(page)
  await page.close()
  const wallet = await newContext(stage)
  const own = await wallet.newPage()
  await own.goto('/sign-in', { waitUntil: 'networkidle' })
  await own.getByRole('button', { name: 'Throw-away wallet' }).click()
  await own.waitForURL((address) => !address.pathname.startsWith('/sign-in'))
  for (const path of customerPages) await openPage(own, path)
  await expect(own.getByRole('banner').getByRole('status')).toHaveText('Up to date', { timeout: 30_000 })
  await wallet.close()
  const opened = staffPages.length + customerPages.length + 3
  return { staff, said: `both sign-ins, ${opened} pages, a note, a search, an import, an export` }
}

/** The context records a failure for any answer that a proxy gives in Rampart's place. */
async function newContext({ browser, url, failures }: BrowserStage): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true, locale: 'en-GB' })
  context.on('response', (answer) => {
    if (answer.status() >= 500) failures.push(`${answer.status()} of ${answer.url()}`)
  })
  context.on('weberror', (error) => failures.push(error.error().message))
  return context
}

async function openPage(page: Page, path: string): Promise<void> {
  const answer = await page.goto(path)
  if (answer?.status() !== 200) throw new Error(`${path} was answered ${answer?.status()}`)
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached()
}

async function seeOne(page: Page, list: string): Promise<void> {
  await page.goto(list)
  await page.locator(`main a[href^="${list}/"]:visible`).first().click()
  await page.waitForURL(new RegExp(`${list}/[^/]+$`))
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached()
}

async function leaveNote(page: Page): Promise<void> {
  await page.goto('/transactions', { waitUntil: 'networkidle' })
  await page.locator('main a[href^="/transactions/"]:visible').first().click()
  await page.waitForURL(/\/transactions\/[0-9a-f-]{36}/)
  const notes = page.getByRole('region', { name: 'Notes' })
  const text = `Seen ${crypto.randomUUID()}`
  await notes.getByRole('button', { name: 'Add a note' }).click()
  await notes.getByRole('textbox', { name: 'New note' }).fill(text)
  await notes.getByRole('button', { name: 'Save' }).click()
  await expect(notes.getByText(text)).toBeVisible({ timeout: 30_000 })
}

async function search(page: Page): Promise<void> {
  await page.goto('/transactions', { waitUntil: 'networkidle' })
  const href = await page.locator('main a[href^="/transactions/"]:visible').first().getAttribute('href')
  const id = href?.split('/').at(-1) ?? ''
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill(id)
  await page.keyboard.press('Enter')
  // A whole id opens what it names; until then its row stands in the list.
  await page.waitForURL((address) => address.pathname === `/transactions/${id}`)
}

async function importPeople(page: Page): Promise<void> {
  await page.goto('/users/import', { waitUntil: 'networkidle' })
  const people = Array.from({ length: 2 }, () => `,p${crypto.randomUUID()}@import.test,Person,Number,ES`)
  const lines = ['user_uuid,email,first_name,last_name,country', ...people]
  const buffer = Buffer.from(lines.join('\n'))
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer }
  await page.getByLabel('CSV file').setInputFiles(file)
  await page.getByRole('button', { name: 'Check it' }).click()
  await page.waitForURL(/\/users\/import\/[0-9a-f-]{36}$/)
  await page.getByRole('button', { name: 'Import 2' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Reason', { exact: true }).fill('the customers of before')
  await dialog.getByRole('button', { name: 'Import 2' }).click()
  await expect(page.getByText('2 of 2 imported')).toBeVisible({ timeout: 60_000 })
}

async function exportList(page: Page): Promise<void> {
  await page.goto('/transactions', { waitUntil: 'networkidle' })
  await page.getByRole('button', { name: 'Export…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Reason', { exact: true }).fill('for a ticket')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Export' }).click(),
  ])
  if ((await download.failure()) !== null) throw new Error('The export did not come')
}

const people = ['ana@demo.test', 'cleo@demo.test'] as const

/** Two customers and a stranger open the same pages by turns. Nobody may see another's data, whatever a cache keeps. */
export async function nobodysElse(stage: BrowserStage, address: Address): Promise<string> {
  const contexts = await Promise.all(people.map(() => newContext(stage)))
  const cookies: string[] = []
  for (const [index, context] of contexts.entries()) {
    await signIn(context, stage, people[index] ?? '')
    cookies.push(await cookieOf(context))
    await context.close()
  }
  let seen = 0
  for (const path of ['/account', '/account?_rsc=1', '/account/sign-ins', '/api/session', '/'])
    for (let turn = 0; turn < 3; turn++) {
      for (const [index, cookie] of cookies.entries()) {
        const { status, text } = await ask(address, { path, headers: { cookie } })
        const other = people[1 - index] ?? ''
        if (status >= 500 || status === 0) throw new Error(`${path} was answered ${status}`)
        if (text.includes(other)) throw new Error(`${path} shows ${other} to ${people[index]}`)
        if (text.includes(people[index] ?? '')) seen += 1
      }
      const { text, headers } = await ask(address, { path })
      if (people.some((email) => text.includes(email)))
        throw new Error(`${path} shows a customer to a stranger`)
      if (
        headers['set-cookie']?.some((one) =>
          cookies.some((cookie) => cookie.includes(one.split(';')[0] ?? one)),
        )
      )
        throw new Error(`${path} gives a customer's cookie to a stranger`)
    }
  if (seen < 6) throw new Error('Customers do not see their own pages: this proves nothing')
  return `${seen} pages of two people, each seen by whose they are alone`
}

export async function cookieOf(context: BrowserContext): Promise<string> {
  return (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
}
