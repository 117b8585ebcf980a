import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContext } from '@playwright/test'
import pg from 'pg'
import { loadScripts, type Script, scriptsOfEmptyPage, speaksToWallets } from '../../e2e/load-scripts.ts'
import { mostKb, mostKbWithWallets, withWallets } from '../../e2e/page-weight.ts'
import { type Installation, openBrowser, signIn, startInstallation } from './installation/installation.ts'
import {
  findAddress,
  listRoutes,
  statementsVariable,
  timePage,
  timeTyping,
  type Visitor,
  visitorOf,
} from './pages/time-page.ts'

export const when = 'a page loads another library, or asks the database for more'

const transactions = 1_000_000

const mostMs = 60
const mostTypingMs = 100

interface Measured {
  readonly route: string
  /** The size is that of JavaScript beyond an empty page, gzipped. */
  readonly kb: number
  readonly wallets: boolean
  /** The time is the server's, in milliseconds. */
  readonly p95: number
}

/**
 * The benchmark measures the JavaScript of each page in a new browser, beyond an empty page of the same build. It then
 * measures the server's time for each page with a million transactions, beside its statements alone, and the search letter
 * by letter.
 */
export default async function pages([kept]: string[]): Promise<void> {
  const file = path.join(os.tmpdir(), `rampart-statements-${process.pid}`)
  const note = pathToFileURL(path.join(import.meta.dirname, 'pages/note-statements.ts'))
  const installation = await startInstallation(transactions, kept, {
    [statementsVariable]: file,
    NODE_OPTIONS: `--import=${note}`,
  })
  const database = new pg.Client({ connectionString: installation.databaseUrl })
  const browser = await openBrowser()
  try {
    await database.connect()
    const visitors = {
      nobody: await browser.newContext(),
      'admin@demo.test': await visit(await browser.newContext(), installation, 'admin@demo.test'),
      'ana@demo.test': await visit(await browser.newContext(), installation, 'ana@demo.test'),
    } satisfies Record<Visitor, BrowserContext>
    const empty = scriptsOfEmptyPage()
    const measured: Measured[] = []
    for (const route of listRoutes()) {
      const context = visitors[visitorOf(route)]
      const address = await findAddress(context, installation.url, route)
      if (address === null) {
        console.log(`${route.padEnd(32)} not measured: nothing links to one`)
        continue
      }
      const url = new URL(address, installation.url)
      const time = await timePage(url, await cookieOf(context), { database, file })
      if (typeof time === 'number') {
        console.log(`${route.padEnd(32)} not measured: answered ${time}`)
        continue
      }
      const scripts = await loadScripts(browser, await context.storageState(), url.href)
      if (scripts === null) {
        console.log(`${route.padEnd(32)} not measured: leads elsewhere`)
        continue
      }
      const own = [...scripts].filter(([name]) => !empty.has(name)).map(([, script]) => script)
      const wallets = speaksToWallets(scripts)
      console.log(
        `${route.padEnd(32)} ${kbOf(own).toFixed(1)} KB (${kbOf(own.filter(({ late }) => late)).toFixed(1)} after load)${wallets ? ', wallets' : ''}; p50 ${time.p50.toFixed(0)} ms, p95 ${time.p95.toFixed(0)} ms, its ${time.statements} statements alone p95 ${time.bareP95.toFixed(1)} ms`,
      )
      measured.push({ route, kb: kbOf(own), wallets, p95: time.p95 })
    }
    const typing = await timeTyping(installation.url, await cookieOf(visitors['admin@demo.test']), database)
    sayGoals(measured, typing)
  } finally {
    await browser.close()
    await database.end()
    await installation.stop()
  }
}

async function visit(context: BrowserContext, installation: Installation, email: string) {
  await signIn(context, installation, email)
  return context
}

const cookieOf = async (context: BrowserContext) =>
  (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')

const kbOf = (scripts: readonly Script[]) => scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1024

function sayGoals(measured: readonly Measured[], typing: number) {
  const [signIn, others] = [true, false].map((is) =>
    measured.filter(({ route }) => withWallets.has(route) === is),
  )
  const kb = worstOf(others ?? [], (page) => page.kb)
  const signInKb = worstOf(signIn ?? [], (page) => page.kb)
  const p95 = worstOf(measured, (page) => page.p95)
  const astray = (others ?? []).filter(({ wallets }) => wallets).map(({ route }) => route)
  // If the wallet code is not found on the pages that have it, the check would find it nowhere.
  const known = (signIn ?? []).every(({ wallets }) => wallets)
  const goals: readonly (readonly [string, boolean])[] = [
    [
      `at most ${mostKb} KB beyond an empty page: ${kb.figure.toFixed(1)} KB (${kb.route})`,
      kb.figure <= mostKb,
    ],
    [
      `at most ${mostKbWithWallets} KB where wallets are: ${signInKb.figure.toFixed(1)} KB (${signInKb.route})`,
      signInKb.figure <= mostKbWithWallets,
    ],
    [
      `wallets nowhere else: ${known ? astray.join(', ') || 'none' : 'their code was not recognised'}`,
      known && astray.length === 0,
    ],
    [`p95 at most ${mostMs} ms: ${p95.figure.toFixed(0)} ms (${p95.route})`, p95.figure <= mostMs],
    [`search as you type p95 at most ${mostTypingMs} ms: ${typing.toFixed(0)} ms`, typing <= mostTypingMs],
  ]
  for (const [goal, isMet] of goals) console.log(`${isMet ? 'met    ' : 'NOT MET'} ${goal}`)
  console.log(
    `pages kb=${kb.figure.toFixed(1)} sign_in_kb=${signInKb.figure.toFixed(1)} wallets_elsewhere=${astray.length} p95_ms=${p95.figure.toFixed(0)} typing_ms=${typing.toFixed(0)}`,
  )
}

function worstOf(measured: readonly Measured[], figureOf: (page: Measured) => number) {
  const [worst] = measured.toSorted((a, b) => figureOf(b) - figureOf(a))
  return { figure: worst ? figureOf(worst) : Number.NaN, route: worst?.route ?? 'no page' }
}
