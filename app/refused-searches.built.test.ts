import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type EveryRole, startForEveryRole } from '../test/every-role.ts'

let all: EveryRole
beforeAll(async () => {
  all = await startForEveryRole()
})
afterAll(() => all.stop())

const get = (path: string, cookie: string) =>
  fetch(all.server.url + path, { headers: { cookie }, redirect: 'manual' })

const search = (text: string, cookie: string) =>
  fetch(`${all.server.url}/api/search`, {
    method: 'POST',
    headers: { cookie, origin: all.server.url, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  })

const LinkSchema = z.object({ link: z.string() })

/** A colleague's link to the search for an id. */
async function linkToSearch(): Promise<string> {
  const cookie = await all.newCookie('admin')
  return LinkSchema.parse(await (await search(crypto.randomUUID(), cookie)).json()).link
}

/** The pages that search leave a refusal to the browser, which asks again and has the words. */
async function expectLeftToBrowser(cookie: string, link: string) {
  const id = crypto.randomUUID()
  const shortcut = await get(`/go/${id}`, cookie)
  expect(shortcut.status).toBe(307)
  expect(shortcut.headers.get('location')).toBe(`/go#${id}`)
  expect((await get(`/transactions?search=${link}`, cookie)).status).toBe(200)
  expect((await get(`/users?search=${link}`, cookie)).status).toBe(200)
}

test('a search that takes too long is no error of a page', async () => {
  const cookie = await all.newCookie('admin')
  const link = await linkToSearch()
  const client = await all.pool.connect()
  try {
    await client.query('BEGIN; LOCK TABLE identifier IN ACCESS EXCLUSIVE MODE')
    expect((await search(crypto.randomUUID(), cookie)).status).toBe(409)
    await expectLeftToBrowser(cookie, link)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('a search beyond the limit of a person is no error of a page', async () => {
  const cookie = await all.newCookie('admin')
  const link = await linkToSearch()
  let status = 200
  for (let n = 0; status === 200 && n < 10; n++)
    status = (await search(Array.from({ length: 90 }, () => crypto.randomUUID()).join('\n'), cookie)).status
  expect(status).toBe(429)
  await expectLeftToBrowser(cookie, link)
})
