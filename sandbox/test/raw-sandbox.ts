import net from 'node:net'
import pg from 'pg'
import { expect } from 'vitest'
import { apiKey, startTestSandbox } from './running.ts'

/**
 * The request would create an endpoint, except for what a test case changes. Headers are pairs, so that a case can double
 * them.
 */
export interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly host?: string[]
  readonly key?: string[]
  readonly type?: string[]
  readonly more?: Record<string, string | string[]>
  readonly body?: unknown
}

export const endpointsPath = '/onboarding/merchant/webhook-endpoints'
export const validEndpoint = { url: 'https://merchant.example/hook', description: 'Ledger' }

/** The sandbox has one endpoint. Tests send it raw bytes and compare its contents. */
export async function startRawSandbox() {
  const sandbox = await startTestSandbox({ SANDBOX_REQUEST_TIMEOUT_MS: '600' })
  const database = new pg.Client({ connectionString: sandbox.databaseUrl })
  await database.connect()
  await sandbox.createEndpoint('https://merchant.example/hook')
  return {
    ...sandbox,
    write,
    contents,
    sendRaw: (...pieces: (string | Buffer)[]) => sendRaw(sandbox.port, ...pieces),
    expectRefusal,
    async stop() {
      await database.end()
      await sandbox.stop()
    },
  }

  function write({
    method = 'POST',
    path = endpointsPath,
    body = validEndpoint,
    ...request
  }: RawRequest): Buffer {
    const bytes =
      body instanceof Buffer ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const headers = {
      Host: request.host ?? [`localhost:${sandbox.port}`],
      Authorization: request.key ?? [apiKey],
      'Content-Type': request.type ?? ['application/json'],
      'Content-Length': [String(bytes.length)],
      Connection: ['close'],
      ...request.more,
    }
    const lines = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}: ${value}`),
    )
    return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')), bytes])
  }

  async function contents(): Promise<unknown> {
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
       WHERE table_type = 'BASE TABLE' AND (table_schema = 'public' OR table_name = '_private_jobs') ORDER BY 1`,
    )
    const parts = tables.map(
      ({ name }) =>
        `SELECT '${name}' AS name, count(*), md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${name} t`,
    )
    return (await database.query(parts.join(' union all '))).rows
  }

  /** The bytes must get this status with a small JSON error body, and must change nothing. */
  async function expectRefusal(status: number, ...pieces: (string | Buffer)[]) {
    const before = await contents()
    const answer: RawAnswer = await sendRaw(sandbox.port, ...pieces)
    expect(answer.status, answer.text).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.text.length).toBeLessThan(1_000)
    expect(JSON.parse(answer.text)).toEqual({
      statusCode: status,
      message: expect.stringMatching(/./),
      name: expect.stringMatching(/Error$/),
      level: 'warn',
      error_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(await contents()).toEqual(before)
  }
}

interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** The bytes go to the sandbox piece by piece. The answer is everything that comes back until it closes the connection. */
export function sendRaw(port: number, ...pieces: (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = net.connect(port, '127.0.0.1', async () => {
      for (const piece of pieces) {
        if (!socket.writable) break
        if (!socket.write(piece))
          await new Promise((written) => socket.once('drain', written).once('close', written))
      }
    })
    socket.setTimeout(10_000, () => socket.destroy(new Error('The sandbox neither answered nor hung up')))
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The sandbox closed the connection while the test was still sending, because the answer came before.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
    socket.on('close', () => resolve(parse(Buffer.concat(received).toString())))
  })
}

function parse(answer: string): RawAnswer {
  const [head = '', ...rest] = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  )
  return { status: Number(first.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}
