import fs from 'node:fs'
import type { Browser, BrowserContextOptions, Request } from '@playwright/test'

export interface Script {
  /** The size is that on the wire, without headers. */
  readonly bytes: number
  /** A late script came after the page's load event, in preparation for the next click. */
  readonly late: boolean
  readonly text: string
}

type StorageState = NonNullable<BrowserContextOptions['storageState']>

/** The page has everything when no new script came for this many ms. */
const quiet = 1_500
const longest = 15_000

/**
 * The map holds all scripts that a page loads in a new browser, by the path of their address. It is null for a page that
 * redirects.
 */
export async function loadScripts(
  browser: Browser,
  storageState: StorageState,
  url: string,
): Promise<ReadonlyMap<string, Script> | null> {
  const context = await browser.newContext({ storageState, locale: 'en-GB', timezoneId: 'UTC' })
  const page = await context.newPage()
  const read: Promise<readonly [string, Script] | Error>[] = []
  let loaded = false
  let last = performance.now()
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return
    last = performance.now()
    // A page that redirects loses what it fetched.
    read.push(readScript(request, loaded).catch((error: unknown) => new Error(String(error))))
  })
  await page.goto(url, { waitUntil: 'load' })
  loaded = true
  const began = performance.now()
  last = began
  while (performance.now() - last < quiet && performance.now() - began < longest)
    await new Promise((resolve) => setTimeout(resolve, 100))
  const scripts = await Promise.all(read)
  const stayed = new URL(page.url()).pathname === new URL(url).pathname
  await context.close()
  if (!stayed) return null
  return new Map(
    scripts.map((script) => {
      if (script instanceof Error) throw script
      return script
    }),
  )
}

async function readScript(request: Request, late: boolean): Promise<readonly [string, Script]> {
  const { responseBodySize: bytes } = await request.sizes()
  const answer = await request.response()
  return [new URL(request.url()).pathname, { bytes, late, text: (await answer?.text()) ?? '' }]
}

/** The scripts belong to an empty page of this build: the one that Next makes for its own errors. */
export function scriptsOfEmptyPage(): ReadonlySet<string> {
  const html = fs.readFileSync('.next/server/app/_global-error.html', 'utf8')
  const found = [...html.matchAll(/<script[^>]+src="([^"?]+)/g)].flatMap(([, path]) => path ?? [])
  if (found.length === 0) throw new Error('The empty page of the build names no script')
  return new Set(found)
}

/** The answer is true when a script contains one of the wallet libraries. */
export const speaksToWallets = (scripts: ReadonlyMap<string, Script>): boolean =>
  [...scripts.values()].some(({ text }) => walletCode.test(text))

/**
 * The pattern matches the event by which wallets are found (EIP-6963), a name of wagmi's, and a method of WalletConnect's.
 */
export const walletCode = /eip6963:|WagmiProvider|wc_session/
