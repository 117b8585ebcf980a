import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import { findChromium } from '../../../bin/chromium.ts'
import type { Installation } from './start-installation.ts'

/** As the browser tests start it. */
export const browserArguments = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking']

/** The Chromium that the browser tests find. */
export const openBrowser = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await findChromium(console.log), args: browserArguments })

/** Signs in by a code from the sandbox's mailbox. */
export async function signIn(
  context: BrowserContext,
  { url, sandboxUrl }: Pick<Installation, 'url' | 'sandboxUrl'>,
  email: string,
) {
  const page = await context.newPage()
  const earlier = (await readMail(sandboxUrl, email)).length
  // A form that is sent before its scripts are there goes astray.
  await page.goto(`${url}/sign-in`, { waitUntil: 'networkidle' })
  await page.locator('input[name=email]').fill(email)
  await page.keyboard.press('Enter')
  const code = page.locator('input[name=code]')
  await code.waitFor()
  await code.fill(await newCode(sandboxUrl, email, earlier))
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => !address.pathname.startsWith('/sign-in'))
  await page.close()
}

async function newCode(sandboxUrl: string, email: string, earlier: number): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const codes = await readMail(sandboxUrl, email)
    const newest = codes.at(-1)
    if (codes.length > earlier && newest) return newest.code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No code for ${email} arrived`)
}

async function readMail(sandboxUrl: string, email: string): Promise<readonly { readonly code: string }[]> {
  const answer = await fetch(`${sandboxUrl}/_sandbox/mailbox?email=${encodeURIComponent(email)}`)
  return answer.json()
}
