import fs from 'node:fs'
import http from 'node:http'
import type pg from 'pg'
import { percentile } from './percentile.ts'
import { readStatements, type Statement } from './statements.ts'

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
