import fs from 'node:fs'
import http from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPool } from '#lib/platform/db/pool.ts'
import { connectionRange } from '#lib/platform/env.ts'
import { release } from '#lib/platform/release.ts'
import { addReceiver } from '../test/ingest.ts'
import { metricsIn, metricsUsed } from '../test/metrics-used.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'
import { deliverTo, serveRoles, withoutPages } from '../test/roles.ts'

// Each role is tried with real processes. Pages need a build: supervise.built.test.ts tries them.

let database: TestDatabase
let pool: pg.Pool
let receiver: Awaited<ReturnType<typeof addReceiver>>

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.url)
  receiver = await addReceiver(pool)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

type Group = Awaited<ReturnType<typeof serveRoles>>

const deliver = (group: Group, headers?: Record<string, string>) => deliverTo(group, receiver, headers)

const firstLine = (log: string): unknown => JSON.parse(log.split('\n', 1)[0] ?? '')

/** The browser of a page and Prometheus name a host, which fetch does not let a caller change. */
function ask(group: Group, path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }>(
    (resolve, reject) => {
      http
        .get(
          {
            host: '127.0.0.1',
            port: group.port,
            path,
            headers: { host: `localhost:${group.port}`, ...headers },
          },
          (answer) => {
            let text = ''
            answer.on('data', (chunk: Buffer) => {
              text += chunk
            })
            answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }))
          },
        )
        .on('error', reject)
    },
  )
}

describe('every role but pages', () => {
  let group: Group
  const token = 't'.repeat(40)
  beforeAll(async () => {
    group = await serveRoles(database.url, { ROLE: withoutPages, METRICS_TOKEN: token })
  })
  afterAll(() => group.stop())

  it('takes deliveries, and refuses pages', async () => {
    expect((await deliver(group)).status).toBe(200)
    const page = await ask(group, '/overview')
    expect(page).toMatchObject({ status: 404, text: expect.stringContaining('another ROLE') })
    expect(page.headers['cache-control']).toBe('no-store')
    expect((await ask(group, '/api/live')).status).toBe(401)
  })

  it('says that it lives and is ready, with its version', async () => {
    const { version, commit } = release()
    expect(JSON.parse((await ask(group, '/healthz')).text)).toEqual({
      status: 'ok',
      version,
      commit,
      roles: ['receiver', 'projector', 'live'],
    })
    expect(await ask(group, '/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}\n' })
    const posted = await fetch(group.url('/healthz'), { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('begins the log of each process with version, commit, port and roles', () => {
    for (const name of ['server', 'projector', 'maintenance'])
      expect(firstLine(group.log(`${name}.log`)), name).toMatchObject({
        component: name,
        ...release(),
        port: group.port,
        roles: ['receiver', 'projector', 'live'],
      })
    const live = group
      .log('server.log')
      .split('\n')
      .find((line) => line.includes('"component":"live"'))
    expect(JSON.parse(live ?? '')).toMatchObject({ component: 'live', ...release(), port: group.port })
    expect(group.output()).toMatch(
      new RegExp(`^Rampart ${release().version} .*, port ${group.port}, roles receiver`),
    )
  })

  it('has every metric that the alert rules and the dashboard use, of all its processes', async () => {
    await deliver(group)
    await expect
      .poll(async () => processesIn((await ask(group, '/metrics')).text), { timeout: 30_000 })
      .toEqual(['live', 'projector', 'server'])
    // A projector reports every few seconds, and the state of the database is read as often.
    const metrics = async () => (await ask(group, '/metrics')).text
    const folded = /^rampart_folded_deliveries_total\{process="projector"\} [1-9]/m
    await expect.poll(metrics, { timeout: 30_000 }).toMatch(folded)
    await expect.poll(metrics, { timeout: 30_000 }).toMatch(/^rampart_leases\{work="projector"\} [1-9]/m)
    const used = metricsUsed()
    expect(used.length).toBeGreaterThan(25)
    const unknown = async () => {
      const known = metricsIn(await metrics())
      return used.filter((name) => !known.has(name))
    }
    // The endpoints are read for the first time a while after the start.
    await expect.poll(unknown, { timeout: 30_000 }).toEqual([])
    const { text, headers } = await ask(group, '/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toMatch(/^rampart_delivery_answers_total\{.*reason="stored",status="200"\} [1-9]/m)
    expect(text).toMatch(/^rampart_database_up 1$/m)
    expect(text).toMatch(/^rampart_last_delivery_age_seconds \d/m)
    expect(text).toMatch(/^rampart_open_gaps\{kind="silent",state="lasting",severity="warning"\} 0$/m)
    expect(text).toMatch(/^rampart_database_size_bytes [1-9]/m)
    expect(text).toMatch(/^rampart_data_disk_free_bytes [1-9]/m)
  })

  it('gives metrics to this machine, and to others by their token', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9' }
    const refused = await ask(group, '/metrics', forwarded)
    expect(refused).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    expect(refused.text).not.toContain('rampart_')
    expect((await ask(group, '/metrics', { host: 'dash.example.com' })).status).toBe(401)
    expect((await ask(group, '/metrics', { ...forwarded, authorization: `Bearer ${token}x` })).status).toBe(
      401,
    )
    expect((await ask(group, '/metrics', { ...forwarded, authorization: `Bearer ${token}` })).status).toBe(
      200,
    )
  })

  it('names each request by one id, in its answer and in every line of the log', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736'
    expect((await deliver(group, { 'x-request-id': id })).headers.get('x-request-id')).toBe(id)
    const refused = await ask(group, '/nothing-here', { 'x-request-id': id })
    expect(refused.headers['x-request-id']).toBe(id)
    const own = (await ask(group, '/healthz', { 'x-request-id': 'not well formed' })).headers['x-request-id']
    expect(own).toMatch(/^[0-9a-f-]{36}$/)
    const lines = group
      .log('server.log')
      .split('\n')
      .filter((line) => line.includes('was refused before'))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ request: expect.stringMatching(/^[\w-]{8,}$/) })
  })
})

/** The group starts while its keys cannot be checked, and is ready afterwards. The caller stops it. */
async function becomesReady(settings: Record<string, string>): Promise<Group> {
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('BEGIN; LOCK TABLE key_fault IN ACCESS EXCLUSIVE MODE')
  const group = await serveRoles(database.url, settings).catch(async (error) => {
    await other.end()
    throw error
  })
  try {
    expect(await ask(group, '/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('RAMPART_KEYS are not checked yet.'),
    })
    await other.query('COMMIT')
    await expect.poll(async () => (await ask(group, '/readyz')).status, { timeout: 30_000 }).toBe(200)
    return group
  } catch (error) {
    await group.stop()
    throw error
  } finally {
    await other.end()
  }
}

describe('a group with one role', () => {
  it('of the projector becomes ready once its keys can be checked, folds what others take, and takes no delivery', async () => {
    const group = await becomesReady({ ROLE: 'projector', RAMPART_LOG_TO: 'stdout' })
    try {
      const refused = await deliver(group)
      expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('another ROLE')])
      expect((await ask(group, '/api/live')).status).toBe(404)
      const lines = group
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        component: 'supervisor',
        ...release(),
        roles: ['projector'],
      })
      for (const component of ['server', 'projector', 'maintenance'])
        expect(lines.map((line) => JSON.parse(line))).toContainEqual(
          expect.objectContaining({ component, ...release(), message: 'The process starts' }),
        )
      expect(fs.readdirSync(`${group.folder}/logs`)).toEqual([])
    } finally {
      await group.stop()
    }
  })

  it('of the receiver becomes ready though no delivery asks for its keys, starts no projector, and needs few places of the database', async () => {
    const { fewest } = connectionRange(0)
    const group = await becomesReady({ ROLE: 'receiver', DATABASE_CONNECTIONS: String(fewest) })
    try {
      expect((await deliver(group)).status).toBe(200)
      expect(fs.readdirSync(`${group.folder}/logs`)).not.toContain('projector.log')
      const { text } = await ask(group, '/metrics')
      expect(processesIn(text)).toEqual(['server'])
      expect(group.output()).not.toContain('again')
    } finally {
      await group.stop()
    }
  })

  it('that nobody knows is refused by a line', async () => {
    await expect(serveRoles(database.url, { ROLE: 'receiver,worker' })).rejects.toThrow(
      /^ROLE must be all, or some of web, receiver, projector, live with commas between them, not worker. Example: ROLE=receiver,projector\n$/,
    )
  })
})

const processesIn = (text: string) =>
  [
    ...new Set(
      [...text.matchAll(/^process_resident_memory_bytes\{process="(\w+)"\}/gm)].map(([, name]) => name),
    ),
  ].sort()
