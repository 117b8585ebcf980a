import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roles } from '#lib/access/rules/roles.ts'
import { openRequests } from '#lib/identity/next-auth/route.ts'
import { changeChannel, changePayloads } from '#lib/platform/change-notification.ts'
import { addresses, beforeNext, bodies } from '../test/entries.ts'
import {
  type EveryRole,
  type Ids,
  mayUse,
  namesThing,
  startForEveryRole,
  uncompressed,
  unknownIds,
  withIds,
  wordsOf,
} from '../test/every-role.ts'

// The test checks every page and route of one table, which test/entries.test.ts compares with the sources: each role,
// signed out, another person's ids, another origin.

let all: EveryRole
let before: unknown
beforeAll(async () => {
  all = await startForEveryRole()
  before = await all.things.read()
})
afterAll(() => all.stop())

test('every request that next-auth may answer has an address in that line', () => {
  const inTable = ['GET', 'POST'].flatMap((method) =>
    (addresses[`${method} api/auth/[...nextauth]/route.ts`] ?? [])
      .slice(1)
      .map((address) => `${method} ${String(address).replace('/api/auth/', '')}`),
  )
  expect(inTable.toSorted()).toEqual([...openRequests, 'GET session'].toSorted())
})

test('everything that server.ts answers before Next has a line', () => {
  const source = fs.readFileSync('server.ts', 'utf8')
  const listener = source.slice(source.indexOf("server.on('request'"), source.indexOf('const answerStream'))
  const handlers = [...listener.matchAll(/(?:if \(|&& )(\w+)\(request(?:, \w+)*\)\)/g)].map(
    ([, name]) => name,
  )
  expect(handlers.toSorted()).toEqual(Object.keys(beforeNext).toSorted())
  for (const line of Object.values(beforeNext)) if (line !== null) expect(addresses).toHaveProperty([line])
})

interface Asked {
  readonly cookie?: string | undefined
  /** `origin` is null for none. By default a POST has our own. */
  readonly origin?: string | null
  readonly ids?: Ids
}

/** The request is like a browser's. */
function ask(method: string, address: string, { cookie, origin, ids = unknownIds() }: Asked) {
  const body = bodies[address]
  const from = origin === undefined && method === 'POST' ? all.server.url : origin
  return fetch(all.server.url + withIds(address, ids), {
    method,
    headers: { ...uncompressed, ...(cookie ? { cookie } : {}), ...(from ? { origin: from } : {}) },
    ...(body === undefined ? {} : { body: withIds(body, ids) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(30_000),
  })
}

/** The text of an answer is compared with another. A live stream has no end. */
async function saidBy(answering: Promise<Response>, ids: Ids) {
  const answer = await answering
  const { status, headers } = answer
  if (headers.get('content-type') === 'text/event-stream') {
    await answer.body?.cancel()
    return { status, text: '' }
  }
  let text = `${headers.get('location') ?? ''}\n${await answer.text()}`
  const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]
  for (const one of [...Object.values(ids), ...(nonce ? [nonce] : [])]) text = text.replaceAll(one, '')
  return { status, text }
}

const entries = Object.entries(addresses).flatMap(([line, [who, ...paths]]) => {
  const [first = '', ...rest] = line.split(' ')
  const method = rest.length > 0 ? first : 'GET'
  return paths.map((address) => ({ line, method, who, address }))
})

describe.each(entries)('$method $address', ({ line, method, who, address }) => {
  // A delivery may name no other receiver than its own. A link leads on, which has its own test.
  const compared = namesThing(address + bodies[address]) && who !== 'service' && !line.startsWith('GET go/')

  test.each(roles)(
    'is as the table has it for %s, and another person’s thing looks missing to who may not see it',
    async (role) => {
      const { ids, words } = all.things
      const cookie = method === 'POST' ? await all.newCookie(role) : all.cookieOf(role)
      const { status, text } = await saidBy(ask(method, address, { cookie, ids }), ids)
      if (who === 'service') expect([401, 404, 405]).toContain(status)
      else if (who === 'provider') expect(status).toBe(400)
      else if (mayUse(role, who)) expect([403, 500]).not.toContain(status)
      else expect(status).toBe(403)
      // The caller has no wallet, code or passkey here.
      if (who !== 'service' && !address.includes('/callback/')) expect(status).not.toBe(401)
      if (role === 'end-user') expect(words.filter((word) => text.includes(word))).toEqual([])
      if (!compared) return
      const none = unknownIds()
      const nothing = await saidBy(ask(method, address, { cookie, ids: none }), none)
      if (who === 'see-own' || !mayUse(role, who)) {
        expect(status).toBe(nothing.status)
        expect(wordsOf(text)).toEqual(wordsOf(nothing.text))
      } else {
        expect(status).toBe(200)
        expect([403, 500]).not.toContain(nothing.status)
        // The service, which knows the endpoints, is not running.
        if (address !== '/endpoints/:endpoint') expect(wordsOf(text)).not.toEqual(wordsOf(nothing.text))
      }
    },
  )

  test('refuses a caller without a session, unless it is for anyone', async () => {
    const answer = await ask(method, address, {})
    await answer.body?.cancel()
    if (who === 'service') return expect([401, 404, 405]).toContain(answer.status)
    if (who === 'provider') return expect(answer.status).toBe(400)
    if (who === 'anyone') return expect([403, 500]).not.toContain(answer.status)
    if (address.startsWith('/api/')) return expect(answer.status).toBe(401)
    expect(answer.status).toBe(307)
    expect(answer.headers.get('location')).toMatch(/^(http:\/\/localhost:\d+)?\/sign-in/)
  })

  // A page is told to every origin alike.
  test.each(method === 'GET' ? ['https://evil.example'] : ['https://evil.example', 'null', null])(
    'does and tells nothing for the origin %s',
    async (origin) => {
      const cookie = method === 'GET' ? all.cookieOf('admin') : await all.newCookie('admin')
      const answer = await ask(method, address, { cookie, origin })
      await answer.body?.cancel()
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      if (method === 'GET' || who === 'service' || who === 'provider') return
      expect(answer.status).toBe(403)
      const after = await ask('GET', '/api/session', { cookie })
      expect(await after.json()).toMatchObject({ state: 'active' })
    },
  )
})

test('the production build has no page of pieces', async () => {
  const answer = await ask('GET', '/design', { cookie: all.cookieOf('admin') })
  expect(answer.status).toBe(404)
  const text = await answer.text()
  expect(text).toContain('There is no such page')
  expect(text).not.toContain('Filter chip')
})

test('no route resizes images, for any request', async () => {
  for (const url of ['/social.png', '/icon.svg', 'https://example.com/a.png', '//example.com/a.png']) {
    const answer = await fetch(`${all.server.url}/_next/image?url=${encodeURIComponent(url)}&w=3840&q=75`)
    await answer.body?.cancel()
    expect(answer.status, url).toBe(404)
  }
})

test('a customer’s own transaction is shown to them, and to nobody else at that address', async () => {
  const cookie = await all.server.signIn(all.pool, 'end-user', all.things.owner)
  const { ids } = all.things
  const { status, text } = await saidBy(
    ask('GET', '/account/transactions/:transaction', { cookie, ids }),
    ids,
  )
  expect(status).toBe(200)
  expect(text).toContain('12')
})

test('a link in a ticket leads staff to its subject, and a customer to a message', async () => {
  const leads = async (role: (typeof roles)[number]) =>
    (await ask('GET', '/go/:transaction', { cookie: all.cookieOf(role), ids: all.things.ids })).headers.get(
      'location',
    )
  expect(await leads('support')).toBe(`/transactions/${all.things.ids.transaction}`)
  expect(await leads('end-user')).toBe('/go')
})

test('companies and people have their own pages, and each wrong address leads to the right one', async () => {
  const leads = async (address: string) =>
    (await ask('GET', address, { cookie: all.cookieOf('support'), ids })).headers.get('location')
  const { ids } = all.things
  const before = crypto.randomUUID()
  expect(await leads(`/users/:company?before=${before}`)).toBe(`/companies/${ids.company}?before=${before}`)
  expect(await leads('/companies/:person')).toMatch(`/users/${ids.person}`)
})

test('the live stream sends a customer nothing about another person', async () => {
  const { owner, ids } = all.things
  const leave = new AbortController()
  const streamOf = async (role: (typeof roles)[number]) => {
    const headers = { cookie: all.cookieOf(role) }
    const answer = await fetch(`${all.server.url}/api/live`, { headers, signal: leave.signal })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    return answer
  }
  const payloads = changePayloads(
    [
      { subjectId: `transaction:${ids.transaction}`, userUuid: owner },
      { subjectId: 'transaction:of-ana', userUuid: all.ana },
    ],
    Date.now(),
  )
  const streams = await Promise.all(roles.map(streamOf))
  // The server may not have subscribed to the channel yet.
  const notifying = setInterval(() => {
    for (const payload of payloads) void all.pool.query('SELECT pg_notify($1, $2)', [changeChannel, payload])
  }, 100)
  const read = async ({ body }: Response) => {
    let text = ''
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.split('of-ana').length > 3) break
    }
    return text
  }
  const texts = await Promise.all(streams.map(read))
  clearInterval(notifying)
  leave.abort()
  for (const [n, role] of roles.entries())
    expect(texts[n]?.includes(ids.transaction), role).toBe(role !== 'end-user')
})

test('a page that a role may not see keeps its address', async () => {
  const answer = await fetch(`${all.server.url}/endpoints/new`, {
    headers: { cookie: all.cookieOf('support') },
  })
  expect(answer.status).toBe(403)
  expect(answer.url).toBe(`${all.server.url}/endpoints/new`)
  await answer.body?.cancel()
})

test('denied attempts without a session are counted, by route', async () => {
  // The counts are written once a second.
  const counted = async () =>
    (await all.pool.query(`SELECT DISTINCT target FROM audit_counter WHERE actor = ''`)).rows
  for (const target of ['/api/search', '/api/users']) await expect.poll(counted).toContainEqual({ target })
  expect((await counted()).filter(({ target }) => target.includes('…'))).toEqual([])
})

test('the requests changed nothing of another person', async () => {
  expect(await all.things.read()).toEqual(before)
})
