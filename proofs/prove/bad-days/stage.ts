import crypto from 'node:crypto'
import path from 'node:path'
import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import { z } from 'zod'
import { build } from '../../../bin/build.ts'
import { freePort } from '../../../bin/postgres.ts'
import { startTemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { openBrowser, signIn } from '../../bench/installation/installation.ts'
import { type Process, processOf } from '../faults/process.ts'
import { openTestBed, type TestBed } from '../faults/test-bed.ts'

/** The installation has its demo, each part of it can go away and come back, and browsers open its pages. */
export interface Stage {
  readonly url: string
  readonly sandboxUrl: string
  /** The server answers pages and takes deliveries. */
  readonly server: Process
  /** The sandbox plays the service. Another process plays it with another API key. */
  readonly service: Process
  readonly strictService: Process
  readonly database: TestBed['database']
  /** The page belongs to a signed-in person, with a browser of its own. */
  open(email: string): Promise<Page>
  /** The function closes all pages, because one sign-in has a limited number of live connections. */
  closePages(): Promise<void>
  /** A call to the sandbox's control interface reads, or changes something when it has a body. */
  control(call: string, body?: object): Promise<unknown>
  /** The function calls the service as another holder of the merchant's key does. */
  callService(method: string, path: string, body?: object): Promise<unknown>
}

/** A bad day breaks something under a real browser. It answers a line about what was seen, or throws. */
export type BadDay = (stage: Stage) => Promise<string>

export async function openStage(): Promise<Stage & { close(): Promise<void> }> {
  const bed = await openTestBed('bad-days')
  const theirs = await startTemporaryPostgres('bad-days-service')
  const [port, sandboxPort, apiKey] = [await freePort(), await freePort(), crypto.randomUUID()]
  const [url, sandboxUrl] = [`http://localhost:${port}`, `http://localhost:${sandboxPort}`]
  const log = (name: string) => path.join(bed.folder, `${name}.log`)
  const sandbox = (key: string, database: string) =>
    processOf(
      '../../../sandbox/main.ts',
      [],
      {
        NODE_ENV: 'production',
        SANDBOX_PORT: String(sandboxPort),
        SANDBOX_DASHBOARD_URL: url,
        SANDBOX_DATABASE_URL: database,
        SANDBOX_API_KEY: key,
      },
      log('sandbox'),
    )
  const database = await theirs.create('sandbox')
  const [service, strictService] = [sandbox(apiKey, database), sandbox(crypto.randomUUID(), database)]
  const variables = {
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(port),
    PUBLIC_URL: url,
    NEXTAUTH_URL: url,
    NEXTAUTH_SECRET: 'only for a proof on this one machine',
    RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
    RAMPART_SANDBOX_URL: sandboxUrl,
    DATABASE_URL: bed.url,
    SERVICE_BASE_URL: `${sandboxUrl}/onboarding`,
    SERVICE_API_KEY: apiKey,
  }
  const program = (file: string, name: string) => processOf(`../../../${file}`, [], variables, log(name))
  const [server, projector] = [program('server.ts', 'server'), program('projector.ts', 'projector')]
  const processes = [projector, server, service, strictService]
  let browser: Browser | undefined
  const close = async () => {
    await browser?.close()
    for (const one of processes) await one.kill('SIGKILL')
    await theirs.stop()
    await bed.close()
  }
  try {
    await build({ logs: bed.folder, say: console.log, signal: new AbortController().signal })
    await service.start()
    await server.start()
    await projector.start()
    await program('bin/load-demo.ts', 'demo').start()
    browser = await openBrowser()
  } catch (error) {
    await close()
    throw error
  }
  const opened = browser
  const signedIn = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>()
  return {
    url,
    sandboxUrl,
    server,
    service,
    strictService,
    database: bed.database,
    async open(email) {
      const options = { baseURL: url, locale: 'en-GB', timezoneId: 'UTC' }
      const known = signedIn.get(email)
      const context = await opened.newContext({ ...options, ...(known ? { storageState: known } : {}) })
      if (!known) {
        await signIn(context, { url, sandboxUrl }, email)
        signedIn.set(email, await context.storageState())
      }
      // Forms that create or show a secret need a sign-in of the last 15 minutes, and the proof runs for longer.
      await bed.ask('UPDATE session SET signed_in_at = now() WHERE ended_at IS NULL')
      return context.newPage()
    },
    async closePages() {
      for (const context of opened.contexts()) await context.close()
    },
    control: (call, body) => ask(`${sandboxUrl}/_sandbox/${call}`, body ? 'POST' : 'GET', {}, body),
    callService: (method, call, body) =>
      ask(`${sandboxUrl}/onboarding/${call}`, method, { authorization: apiKey }, body),
    close,
  }
}

async function ask(url: string, method: string, headers: Record<string, string>, body?: object) {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`)
  return text === '' ? null : JSON.parse(text)
}

/** The uuid belongs to a person of the demo. */
export async function userUuidOf({ control }: Stage, email: string): Promise<string> {
  const users = z.array(z.object({ uuid: z.string(), email: z.string() })).parse(await control('users'))
  const user = users.find((one) => one.email === email)
  if (!user) throw new Error(`The sandbox does not know ${email}`)
  return user.uuid
}

/** With SCREENSHOTS=FOLDER a picture of the page is kept, in light and dark, wide and narrow. */
export async function keepPicture(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  const before = page.viewportSize()
  for (const width of [360, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(300)
      await page.screenshot({
        path: path.join(folder, `${name}-${colorScheme}-${width}.png`),
        fullPage: true,
      })
    }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}

/** The function opens the form of a new endpoint, fills it in, and answers the endpoint's name. */
export async function fillEndpoint(page: Page, { sandboxUrl }: Stage): Promise<string> {
  const name = `Ledger ${crypto.randomUUID().slice(0, 8)}`
  await page.goto('/endpoints/new')
  await page.getByText('Another address', { exact: true }).click()
  await page.getByLabel('URL', { exact: true }).fill(`${sandboxUrl}/receiver`)
  await page.getByLabel('Description').fill(name)
  await page.getByLabel('Reason', { exact: true }).fill('a proof of it')
  return name
}

/**
 * The form was taken exactly once: its secret is shown, and the service has one endpoint of this name. The function deletes
 * that endpoint.
 */
export async function expectOneEndpoint(page: Page, stage: Stage, name: string) {
  await expect(page.getByLabel('Signing secret')).toBeVisible({ timeout: 30_000 })
  const answer = await stage.control('endpoints')
  const all = z.array(z.object({ uuid: z.string(), description: z.string() })).parse(answer)
  const mine = all.filter(({ description }) => description === name)
  expect(mine).toHaveLength(1)
  for (const { uuid } of mine) await stage.callService('DELETE', `merchant/webhook-endpoints/${uuid}`)
}
