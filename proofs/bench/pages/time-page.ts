import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import v8 from 'node:v8'
import type { BrowserContext } from '@playwright/test'
import type pg from 'pg'
import { z } from 'zod'

/** The milliseconds are those of the whole answer and of its statements alone. */
export interface PageTime {
  readonly p50: number
  readonly p95: number
  readonly statements: number
  readonly bareP95: number
}

/** The warm-up compiles the code, which would slow the first page. A server runs for months. */
const warmUp = 40
const turns = 100

/**
 * The function loads a page repeatedly as a signed-in browser does, by turns with its statements alone, one after the other
 * on their own connection. It answers the status instead when the page does not exist.
 * @param cookie the header
 * @param file where the server writes its statements while it exists
 */
export async function timePage(
  url: URL,
  cookie: string,
  { database, file }: { readonly database: pg.Client; readonly file: string },
): Promise<PageTime | number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const first = await ask(url, cookie, agent)
  if (first.status !== 200) return first.status
  for (let n = 0; n < warmUp; n++) await ask(url, cookie, agent)
  fs.writeFileSync(file, '')
  const { request } = await ask(url, cookie, agent)
  const statements = readStatements(file, request)
  fs.rmSync(file)
  const [whole, bare]: [number[], number[]] = [[], []]
  for (let turn = -warmUp; turn < turns; turn++) {
    const answer = await ask(url, cookie, agent)
    const alone = await timeStatements(database, statements)
    if (turn < 0) continue
    whole.push(answer.ms)
    bare.push(alone)
  }
  agent.destroy()
  return {
    p50: percentile(whole, 0.5),
    p95: percentile(whole, 0.95),
    statements: statements.length,
    bareP95: percentile(bare, 0.95),
  }
}

interface Answer {
  readonly status: number
  /** The server gave the request this id. */
  readonly request: string
  readonly ms: number
}

function ask(url: URL, cookie: string, agent: http.Agent): Promise<Answer> {
  const headers = {
    host: url.host,
    cookie,
    accept: 'text/html',
    'accept-encoding': 'gzip',
    'accept-language': 'en',
  }
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const sent = http.get(
      { agent, host: '127.0.0.1', port: url.port, path: url.pathname + url.search, headers },
      (answer) => {
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            request: String(answer.headers['x-request-id'] ?? ''),
            ms: performance.now() - from,
          }),
        )
        answer.once('error', reject)
        answer.resume()
      },
    )
    sent.once('error', reject)
  })
}

async function timeStatements(database: pg.Client, statements: readonly Statement[]): Promise<number> {
  const from = performance.now()
  for (const { text, values } of statements) await database.query(text, values)
  return performance.now() - from
}

/** The measured programs write their statements to the file that this variable names. */
export const statementsVariable = 'RAMPART_BENCH_STATEMENTS'

interface Statement {
  readonly text: string
  readonly values: unknown[]
}

const LineSchema = z.object({ request: z.string(), text: z.string(), values: z.base64() })

/** The list holds what one request asked the database for while `file` existed, without writes, BEGIN and COMMIT. */
export function readStatements(file: string, request: string): Statement[] {
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => LineSchema.parse(JSON.parse(line)))
    .filter((line) => line.request === request && reads(line.text))
    .map(({ text, values }) => ({
      text,
      values: z.array(z.unknown()).parse(v8.deserialize(Buffer.from(values, 'base64'))),
    }))
}

const reads = (sql: string) => /^\s*(SELECT|WITH)\b/i.test(sql) && !/\b(INSERT|UPDATE|DELETE)\b/.test(sql)

/** People type these values of a transaction and of its customer. */
const kinds = {
  id: ({ uuid }) => uuid,
  hash: ({ hash }) => hash,
  wallet: ({ wallet }) => wallet,
  email: ({ email }) => email,
} satisfies Record<string, (sample: Sample) => string>

const SampleSchema = z.object({ uuid: z.string(), hash: z.string(), wallet: z.string(), email: z.string() })
type Sample = z.infer<typeof SampleSchema>

const samples = 20
const mostCharacters = 16

/**
 * The function measures the milliseconds until each letter's search is answered, as the palette asks, one at a time. Fewer
 * than four letters search nothing, so their time is the request alone. It prints each kind, and answers the 95th percentile
 * of its slowest number of letters.
 */
export async function timeTyping(url: string, cookie: string, database: pg.Client): Promise<number> {
  const { rows } = await database.query(SAMPLE, [samples])
  const all = z.array(SampleSchema).parse(rows)
  const worst: number[] = []
  for (const [kind, textOf] of Object.entries(kinds)) {
    const byLength: number[][] = []
    for (const [turn, sample] of all.entries()) {
      // The limit is reset, because nobody types so many searches in so short a time.
      await database.query('DELETE FROM rate_limit')
      for (let length = 1; length <= mostCharacters; length++) {
        const took = await askOnce(url, cookie, textOf(sample).slice(0, length))
        // The first two turns warm up.
        if (turn >= 2) byLength[length] = [...(byLength[length] ?? []), took]
      }
    }
    const p95 = byLength.map((times) => percentile(times, 0.95))
    const figures = byLength
      .map(
        (times, length) =>
          `${length}: ${percentile(times, 0.5).toFixed(0)}, ${percentile(times, 0.95).toFixed(0)}`,
      )
      .filter(Boolean)
    console.log(`typing ${kind.padEnd(7)} p50 and p95 in ms by characters  ${figures.join('; ')}`)
    worst.push(Math.max(...p95.filter(Number.isFinite)))
  }
  return Math.max(...worst)
}

const SAMPLE = `
  SELECT uuid, transaction_hash AS hash, COALESCE(details ->> 'walletAddress', details ->> 'sendingAddress') AS wallet, email
  FROM generate_series(1, $1) AS n, LATERAL (
    SELECT * FROM transaction
    WHERE subject_id > 'transaction:' || left(md5('sample ' || n), 8) AND transaction_hash IS NOT NULL AND user_uuid IS NOT NULL
    ORDER BY subject_id LIMIT 1) AS t
  JOIN person ON person.user_uuid::text = t.user_uuid::text WHERE email IS NOT NULL`

async function askOnce(url: string, cookie: string, text: string): Promise<number> {
  const from = performance.now()
  const answer = await fetch(`${url}/api/search`, {
    method: 'POST',
    headers: { cookie, origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ text, limit: 6 }),
  })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`A search was answered ${answer.status}`)
  return performance.now() - from
}

/** The result is the smallest figure that this part of the figures does not exceed: 0.5 gives the median. */
export const percentile = (figures: readonly number[], part: number): number =>
  figures.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(figures.length * part) - 1)] ?? Number.NaN

/** The list has every page of `app/` by its address there, such as `/transactions/[uuid]`. */
export const listRoutes = (): string[] =>
  fs
    .globSync('app/**/page.tsx')
    .map((file) => `/${path.dirname(file).split(path.sep).slice(1).filter(isPart).join('/')}`)
    .sort()

/** A group of pages in parentheses is no part of the address. */
const isPart = (name: string) => !name.startsWith('(')

export type Visitor = 'nobody' | 'admin@demo.test' | 'ana@demo.test'

/** The visitor opens this page. */
export function visitorOf(route: string): Visitor {
  if (['/sign-in', '/sign-up', '/set-up'].includes(route)) return 'nobody'
  return /^\/account(\/|$)/.test(route) ? 'ana@demo.test' : 'admin@demo.test'
}

/**
 * The function finds an address of this page. For a page of one thing it follows the first link to such a page on the
 * nearest page above. It answers null when there is none.
 */
export async function findAddress(
  context: BrowserContext,
  url: string,
  route: string,
): Promise<string | null> {
  if (!route.includes('[')) return route
  const others = listRoutes()
  const above = others.findLast((other) => !other.includes('[') && route.startsWith(`${other}/`))
  if (above === undefined) return null
  const pattern = new RegExp(`^${route.replaceAll(/\[[^\]]+\]/g, '[^/?#]+')}$`)
  const page = await context.newPage()
  await page.goto(`${url}${above}`, { waitUntil: 'load' })
  let found: string | undefined
  for (let tries = 0; tries < 20 && found === undefined; tries++) {
    const links = await page
      .locator('main a[href]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    found = links.find((link) => pattern.test(link) && !others.includes(link))
    if (found === undefined) await page.waitForTimeout(100)
  }
  await page.close()
  return found ?? null
}
