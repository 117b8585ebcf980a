import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { pagePermissions, permissionOfPage } from '#lib/domain/access/page-permissions.ts'
import { may, type Role, roles } from '#lib/domain/access/roles.ts'
import { actions, addresses, type For } from '../test/entries.ts'
import { type NextServer, startNext } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

// Every way in, found by the files that make it, against one table: each role, signed out, another's ids, another origin.

const filesOf = (name: string) =>
  fs
    .globSync(`**/${name}`, { cwd: import.meta.dirname })
    .map((file) => file.split(path.sep).join('/'))
    .toSorted()

let database: TestDatabase
let pool: pg.Pool
let next: NextServer
const cookies = new Map<Role, string>()
const ana = crypto.randomUUID()

beforeAll(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ connectionString: database.url })
  next = await startNext(database.url)
  for (const role of roles)
    cookies.set(role, await next.signIn(pool, role, role === 'end-user' ? ana : crypto.randomUUID()))
})
afterAll(async () => {
  await next.stop()
  await pool.end()
  await database.drop()
})

function mayUse(role: Role, who: For): boolean {
  if (who === 'anyone' || who === 'signed-in') return true
  if (who === 'nobody') return false
  return typeof who === 'string' ? may(role, who) : who.every((one) => may(role, one))
}

test('every page and every route has a line in test/entries.ts, and no line is without a file', () => {
  const found = [...filesOf('page.tsx'), ...filesOf('route.ts')]
  expect(Object.keys(addresses).toSorted()).toEqual(found.toSorted())
})

test('every page of the staff says in page-permissions.ts what it asks for, as the table has it', () => {
  const staff = Object.entries(addresses).filter(([file]) => file.startsWith('(staff)/'))
  for (const [file, [who, address]] of staff) expect(permissionOfPage(address), file).toBe(who)
  expect(pagePermissions).toHaveLength(staff.length)
})

/** What is asked by POST, and with which body. */
const posted: Readonly<Record<string, string>> = {
  '/api/search': '{"text":"abcd-1234"}',
  '/api/users/import': 'user_uuid',
}

/** Asked as a browser would. */
function ask(address: string, cookie: string | undefined, headers: Record<string, string> = {}) {
  const body = posted[address]
  const init: RequestInit = body === undefined ? {} : { method: 'POST', body, headers: { origin: next.url } }
  return fetch(next.url + address.replace(':id', crypto.randomUUID()), {
    ...init,
    headers: { ...init.headers, ...(cookie ? { cookie } : {}), ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(30_000),
  })
}

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer
  await body?.cancel()
  return status
}

describe.each(Object.entries(addresses))('%s', (file, [who, address]) => {
  test.each(roles)('is as the table has it for %s', async (role) => {
    const status = await statusOf(ask(address, cookies.get(role)))
    if (mayUse(role, who)) expect([401, 403, 500]).not.toContain(status)
    else expect(status).toBe(403)
  })

  test('lets in nobody who is signed out, unless it is for anyone', async () => {
    const answer = await ask(address, undefined)
    await answer.body?.cancel()
    if (who === 'anyone')
      return expect([401, 403, 500].includes(answer.status) && !file.includes('webhooks')).toBe(false)
    if (address.startsWith('/api/')) return expect(answer.status).toBe(401)
    expect(answer.status).toBe(307)
    expect(answer.headers.get('location')).toMatch(/^(http:\/\/localhost:\d+)?\/sign-in/)
  })

  test('lets no page of another origin read its answer', async () => {
    const answer = await ask(address, cookies.get('admin'), { origin: 'https://evil.example' })
    await answer.body?.cancel()
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    if (posted[address] !== undefined) expect(answer.status).toBe(403)
  })
})

test('a search without an Origin is refused', async () => {
  const answer = await fetch(`${next.url}/api/search`, {
    method: 'POST',
    body: '{"text":"abcd"}',
    headers: { cookie: cookies.get('admin') ?? '' },
  })
  expect(answer.status).toBe(403)
})

test('a page that a role may not see keeps its address', async () => {
  const answer = await fetch(`${next.url}/endpoints/new`, {
    headers: { cookie: cookies.get('support') ?? '' },
  })
  expect(answer.status).toBe(403)
  expect(answer.url).toBe(`${next.url}/endpoints/new`)
  await answer.body?.cancel()
})

test('another’s transaction looks to a customer as one that does not exist', async () => {
  const foreign = crypto.randomUUID()
  await pool.query(
    `INSERT INTO transaction (subject_id, uuid, user_uuid, direction, step, details, flags, started_at, last_move_at)
     VALUES ('transaction:' || $1::text, $1, $2, 'fiatToCrypto', 'SUCCESS', '{}', '{}', now(), now())`,
    [foreign, crypto.randomUUID()],
  )
  const read = async (uuid: string) => {
    const answer = await fetch(`${next.url}/account/transactions/${uuid}`, {
      headers: { cookie: cookies.get('end-user') ?? '' },
    })
    return { status: answer.status, html: (await answer.text()).replaceAll(uuid, 'the-id') }
  }
  const [theirs, none] = [await read(foreign), await read(crypto.randomUUID())]
  expect(theirs.status).toBe(404)
  expect(wordsOf(theirs.html)).toEqual(wordsOf(none.html))
  expect(theirs.html).toContain('None of your transactions has this reference')
})

/** The words of a page, in its markup and in what React is told; not in how many pieces it was sent. */
const wordsOf = (html: string) =>
  [
    ...new Set(
      html
        .replace(/<script[^>]*>(?:requestAnimationFrame|\$R).*?<\/script>/gs, '')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|nonce="[^"]*"|[\w-]{21}(?=\\?")/g, '')
        .match(/[a-z]{4,}/gi),
    ),
  ].toSorted()

describe('server actions', () => {
  const ManifestSchema = z.object({
    node: z.record(z.string(), z.object({ exportedName: z.string(), filename: z.string() })),
  })
  const manifest = () =>
    ManifestSchema.parse(JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')))

  /** Each action of a file of actions, as the sources have it. */
  const inSources = filesOf('*.ts').flatMap((file) => {
    const source = fs.readFileSync(path.join(import.meta.dirname, file), 'utf8')
    if (!source.startsWith("'use server'")) return []
    return [...source.matchAll(/export (?:const|async function|function) (\w+)/g)].map(
      ([, name]) => `${file} ${name}`,
    )
  })

  test('each has a line in test/entries.ts, and there is no other', () => {
    expect(Object.keys(actions).toSorted()).toEqual(inSources.toSorted())
    const built = Object.values(manifest().node).map(
      ({ exportedName, filename }) => `${filename.replace(/^app\//, '')} ${exportedName}`,
    )
    // What no page uses is not built.
    expect(inSources).toEqual(expect.arrayContaining(built))
  })

  async function call(
    name: string,
    cookie: string | null,
    origin: string | null,
    body: string | ReadableStream = '[{}]',
  ): Promise<string> {
    const [id] = Object.entries(manifest().node).find(([, one]) => one.exportedName === name) ?? []
    if (!id) throw new Error(`${name} is not built`)
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: {
        'next-action': id,
        'content-type': 'text/plain;charset=UTF-8',
        ...(cookie ? { cookie } : { cookie: 'rampart.browser=b' }),
        ...(origin ? { origin } : {}),
      },
      body,
      duplex: 'half',
      redirect: 'manual',
    }
    return (await fetch(`${next.url}${cookie ? '/account' : '/sign-in'}`, init)).text()
  }

  /** Without a length in front, as a browser sends what it does not know whole. */
  const inPieces = (characters: number) =>
    new Blob([JSON.stringify([{ merchantName: 'x'.repeat(characters) }])]).stream()

  const denied = 'Your role does not allow this.'
  const foreign = 'This request did not come from this dashboard.'

  describe.each(Object.entries(actions))('%s', (one, who) => {
    const name = one.split(' ')[1] ?? ''

    test.each(roles)('is as the table has it for %s', async (role) => {
      const text = await call(name, cookies.get(role) ?? '', next.url)
      expect(text).toMatch(/"kind":"(done|invalid|refused|signed-out)"/)
      if (who !== 'setting-up') expect(text.includes(denied)).toBe(!mayUse(role, who))
      else expect(text).toContain('Open your link again')
    })

    test('asks to sign in where nobody is', async () => {
      const text = await call(name, null, next.url)
      if (who === 'anyone') expect(text).not.toContain('"kind":"signed-out"')
      else if (who !== 'setting-up') expect(text).toContain('"kind":"signed-out"')
    })

    test.each([null, 'https://evil.example', 'null'])('does nothing for the origin %s', async (origin) => {
      const text = await call(name, cookies.get('admin') ?? '', origin)
      expect(text).not.toMatch(/"kind":"(done|invalid)"/)
      if (origin === null) expect(text).toContain(foreign)
    })
  })

  test('one that does not say how large it is is taken up to 64 KB', async () => {
    const send = (characters: number) =>
      call('saveBrandAction', cookies.get('admin') ?? '', next.url, inPieces(characters))
    expect(await send(1_000)).toMatch(/"kind":"invalid"/)
    expect(await send(1_000_000)).not.toMatch(/"kind"/)
  })

  test('what was denied is counted for the audit, not entered once for each attempt', async () => {
    const { rows } = await pool.query(
      `SELECT actor_role, target, count FROM audit_counter WHERE action = 'access.denied' AND actor = $1`,
      [ana],
    )
    expect(rows).toContainEqual({ actor_role: 'end-user', target: '/endpoints', count: expect.any(Number) })
    expect(rows).toContainEqual({
      actor_role: 'end-user',
      target: 'action: manage-endpoints',
      count: expect.any(Number),
    })
    // Those who are not signed in are written once a second, by place.
    const strangers = async () =>
      (await pool.query(`SELECT DISTINCT target FROM audit_counter WHERE actor = ''`)).rows
    for (const target of ['/api/search', '/api/users', 'action: manage-endpoints'])
      await expect.poll(strangers).toContainEqual({ target })
    expect((await strangers()).filter(({ target }) => target.includes('…'))).toEqual([])
    expect((await pool.query(`SELECT FROM audit WHERE action = 'access.denied'`)).rows).toEqual([])
  })
})
