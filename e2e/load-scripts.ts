import fs from 'node:fs'
import type { Browser, BrowserContextOptions, Request } from '@playwright/test'

/** A file of JavaScript that a browser fetched. */
export interface Script {
  /** As it came over the wire, without its headers. */
  readonly bytes: number
  /** After the page's load event: what it fetches for the next click. */
  readonly late: boolean
  readonly text: string
}

type StorageState = NonNullable<BrowserContextOptions['storageState']>

/** Without a new script for so long the page has all that it wants, in ms. */
const quiet = 1_500
const longest = 15_000

/**
 * All scripts that a page loads in a browser that has nothing of it yet, by the path of their address; null for a page that
 * leads elsewhere.
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
    // A page that leads elsewhere takes what it fetched with it.
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

/** The scripts of a page of this build that has nothing of ours on it: the one that Next makes for its own errors. */
export function scriptsOfEmptyPage(): ReadonlySet<string> {
  const html = fs.readFileSync('.next/server/app/_global-error.html', 'utf8')
  const found = [...html.matchAll(/<script[^>]+src="([^"?]+)/g)].flatMap(([, path]) => path ?? [])
  if (found.length === 0) throw new Error('The empty page of the build names no script')
  return new Set(found)
}

/** Whether what came holds one of the libraries that speak to wallets. */
export const speaksToWallets = (scripts: ReadonlyMap<string, Script>): boolean =>
  [...scripts.values()].some(({ text }) => walletCode.test(text))

/** The event by which wallets are found (EIP-6963), a name of wagmi's, a method of WalletConnect's. */
export const walletCode = /eip6963:|WagmiProvider|wc_session/
