import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type BrowserContext, chromium } from '@playwright/test'
import lighthouse, { desktopConfig, type Flags } from 'lighthouse'
import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'
import { findChromium } from '../../bin/chromium.ts'
import { freePort } from '../../bin/postgres.ts'
import {
  browserArguments,
  type Installation,
  signIn,
  startInstallation,
} from '../bench/installation/installation.ts'
import { findAddress } from '../bench/pages/time-page.ts'

export const when = 'what every page loads first changed: frame, fonts, styles, a library'

const transactions = 100_000
/** The median score of this many runs counts, because other load on the machine changes it. */
const runs = 3

const performanceGoals = { desktop: 98, mobile: 90 } as const
type Form = keyof typeof performanceGoals

/** Most people open these pages, as these visitors. */
const pages = {
  'sign-in': { route: '/sign-in', as: null },
  overview: { route: '/overview', as: 'admin@demo.test' },
  transactions: { route: '/transactions', as: 'admin@demo.test' },
  transaction: { route: '/transactions/[uuid]', as: 'admin@demo.test' },
  timeline: { route: '/timeline', as: 'admin@demo.test' },
  endpoints: { route: '/endpoints', as: 'admin@demo.test' },
  account: { route: '/account', as: 'ana@demo.test' },
} as const

/**
 * Lighthouse checks the pages that most people open, on a desktop and on a phone, each in a new browser.
 * @param words names of pages, `desktop` or `mobile`, all by default; a folder (with a `/`) that keeps the installation
 */
export default async function runLighthouse(words: string[]): Promise<Result> {
  const wanted = (name: string, all: readonly string[]) => {
    const named = words.filter((word) => all.includes(word))
    return named.length === 0 || named.includes(name)
  }
  const installation = await startInstallation(
    transactions,
    words.find((word) => word.includes('/')),
  )
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-lighthouse-'))
  const port = await freePort()
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await findChromium(console.log),
    args: [...browserArguments, `--remote-debugging-port=${port}`],
  })
  const results: Result[] = []
  try {
    let visitor: string | null = null
    for (const [name, { route, as }] of Object.entries(pages)) {
      if (!wanted(name, Object.keys(pages))) continue
      if (as !== visitor) await becomeVisitor(context, installation, as)
      visitor = as
      const address = await findAddress(context, installation.url, route)
      if (address === null) throw new Error(`Nothing links to a page like ${route}`)
      for (const form of ['desktop', 'mobile'] as const)
        if (wanted(form, Object.keys(performanceGoals)))
          results.push(
            await judge(`${name} ${form}`, context, { url: installation.url + address, form, port }),
          )
    }
  } finally {
    await context.close()
    await installation.stop()
    fs.rmSync(profile, { recursive: true, force: true })
  }
  return sumResults(results)
}

async function becomeVisitor(context: BrowserContext, installation: Installation, email: string | null) {
  await context.clearCookies()
  if (email !== null) await signIn(context, installation, email)
}

interface PageToCheck {
  readonly url: string
  readonly form: Form
  readonly port: number
}

async function judge(name: string, context: BrowserContext, checked: PageToCheck): Promise<Result> {
  const reports: Report[] = []
  for (let run = 0; run < runs; run++) reports.push(await audit(context, checked))
  const [middle] = reports.toSorted((a, b) => a.performance - b.performance).slice(Math.floor(runs / 2))
  const { performance = 0, reported = '' } = middle ?? {}
  const [accessibility, practices] = (['accessibility', 'practices'] as const).map((part) =>
    Math.min(...reports.map((report) => report[part])),
  )
  const goal = performanceGoals[checked.form]
  const isGood = performance >= goal && accessibility === 100 && practices === 100
  const others = reports.map((report) => report.performance).join(', ')
  console.log(
    `${isGood ? 'met    ' : 'NOT MET'} ${name.padEnd(20)} performance ${performance} of ${goal} (${others}), accessibility ${accessibility}, best practices ${practices}; ${reported}`,
  )
  const faults = new Set(reports.flatMap((report) => report.faults))
  for (const fault of faults) console.log(`        ${fault}`)
  return isGood ? passedResult : failedResult(`lighthouse ${name}`)
}

interface Report {
  readonly performance: number
  readonly accessibility: number
  readonly practices: number
  /**
   * The text has the figures behind the performance score, and the machine's speed by Lighthouse, which expects 1,500 or
   * more.
   */
  readonly reported: string
  /** These faults cost accessibility or best practices a point. */
  readonly faults: readonly string[]
}

/** A browser under load may not report when a load began (NO_NAVSTART), and then the page is checked once more. */
async function audit(context: BrowserContext, checked: PageToCheck, mayFail = true): Promise<Report> {
  const { url, form, port } = checked
  const [page = await context.newPage()] = context.pages()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.clearBrowserCache')
  await devtools.detach()
  const flags: Flags = {
    port,
    logLevel: 'error',
    onlyCategories: ['performance', 'accessibility', 'best-practices'],
    // The sign-in is a cookie, and the cache was emptied.
    disableStorageReset: true,
  }
  const run = await lighthouse(url, flags, form === 'desktop' ? desktopConfig : undefined)
  if (!run) throw new Error(`Lighthouse said nothing of ${url}`)
  const { categories, audits, environment, finalDisplayedUrl, runtimeError } = run.lhr
  if (runtimeError && mayFail) return audit(context, checked, false)
  if (runtimeError) throw new Error(runtimeError.message)
  if (finalDisplayedUrl !== url) throw new Error(`${url} led to ${finalDisplayedUrl}`)
  const score = (category: string) => Math.round((categories[category]?.score ?? 0) * 100)
  const figure = (audit: string) => audits[audit]?.displayValue ?? '?'
  const faults = ['accessibility', 'best-practices'].flatMap((category) =>
    (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id]
      return weight > 0 && audit?.score !== null && (audit?.score ?? 1) < 1 ? `${id}: ${audit?.title}` : []
    }),
  )
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    practices: score('best-practices'),
    reported: `first paint ${figure('first-contentful-paint')}, largest ${figure('largest-contentful-paint')}, blocked ${figure('total-blocking-time')}, shift ${figure('cumulative-layout-shift')}, speed ${figure('speed-index')}; machine ${Math.round(environment.benchmarkIndex)}`,
    faults,
  }
}
