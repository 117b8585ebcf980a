import fs from 'node:fs'
import http from 'node:http'
import type pg from 'pg'
import { percentile } from './percentile.ts'
import { readStatements, type Statement } from './statements.ts'

/** Milliseconds, of the whole answer and of its statements alone. */
export interface PageTime {
  readonly p50: number
  readonly p95: number
  readonly statements: number
  readonly bareP95: number
}

/** Until the code is compiled, which the first page that is asked would pay for: a server runs for months. */
const warmUp = 40
const turns = 100

/**
 * Asks for a page again and again as a browser does that is signed in, by turns with its statements alone, one after the other
 * on a connection of their own. Answers the status instead when the page is not there.
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
  /** The id that the server gave it. */
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
