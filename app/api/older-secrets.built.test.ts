import crypto from 'node:crypto'
import { decode, encode } from 'next-auth/jwt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { requestCode } from '#lib/identity/sign-in/request-code.ts'
import { env } from '#lib/platform/env.ts'
import { newAccount } from '../../test/accounts.ts'
import { newBrowser } from '../../test/callers.ts'
import { type NextServer, startServer } from '../../test/next-server.ts'
import { startService, type TestService } from '../../test/service.ts'

const [older = '', newer = '', another = ''] = Array.from({ length: 3 }, () =>
  crypto.randomBytes(32).toString('base64'),
)

let service: TestService
beforeAll(async () => {
  service = await startService()
  // The test asks for codes, at a server that does not have the newer secret yet.
  vi.stubEnv('NEXTAUTH_SECRET', older)
  globalThis.rampartEnv = undefined
})
afterAll(async () => {
  for (const server of servers.values()) await (await server).stop()
  await service.stop()
})

/** Servers on one database are like one server before and after its restarts. */
const servers = new Map<string, Promise<NextServer>>()

function serverWith(secrets: string): Promise<NextServer> {
  const server =
    servers.get(secrets) ??
    startServer(env().databaseUrl, {
      NEXTAUTH_SECRET: secrets,
      SERVICE_BASE_URL: service.baseUrl,
      SERVICE_API_KEY: service.apiKey,
    })
  servers.set(secrets, server)
  return server
}

const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((one) => one.split(';', 1)[0] ?? '')
const valueIn = (cookies: readonly string[], name: string) =>
  decodeURIComponent(cookies.find((one) => one.includes(`.${name}=`))?.replace(/^[^=]*=/, '') ?? '')

/** next-auth has its own cookie against forged requests, and the token for it. */
async function askCsrf(server: NextServer, cookie = '') {
  const answer = await fetch(`${server.url}/api/auth/csrf`, { headers: { cookie } })
  const { csrfToken } = z.object({ csrfToken: z.string() }).parse(await answer.json())
  return { csrfToken, cookies: cookiesOf(answer) }
}

const post = (server: NextServer, path: string, cookie: string, fields: Record<string, string>) =>
  fetch(`${server.url}/api/auth/${path}`, {
    method: 'POST',
    headers: { cookie, origin: server.url },
    body: new URLSearchParams({ ...fields, callbackUrl: '/', json: 'true' }),
  })

/** The person signs in by a code from a mail and gets these cookies. */
async function signIn(server: NextServer) {
  const { email } = await newAccount()
  const browser = newBrowser()
  await requestCode({ email }, browser)
  const code = (await service.codes(email)).at(-1) ?? ''
  const { csrfToken, cookies } = await askCsrf(server)
  const all = [`${server.cookieName('browser')}=${browser.browserId}`, ...cookies]
  const answer = await post(server, 'callback/code', all.join('; '), { csrfToken, email, code })
  expect(`${answer.status} ${answer.status === 200 ? '' : await answer.text()}`).toBe('200 ')
  return { csrfToken, cookies: [...all, ...cookiesOf(answer)] }
}

/** A restart keeps the port, and so the names of the cookies. These servers have a port each. */
const asOf = (server: NextServer, cookies: readonly string[]) =>
  cookies.map((one) => one.replace(/^rampart-\d+\.(\w+)/, (_, name) => server.cookieName(name))).join('; ')

const stateOf = async (server: NextServer, cookies: readonly string[]) =>
  StateSchema.parse(
    await (await fetch(`${server.url}/api/session`, { headers: { cookie: asOf(server, cookies) } })).json(),
  )
const StateSchema = z.object({ state: z.string(), person: z.string().optional() })

test('a session that began under an older secret goes on, and ends by next-auth’s own sign-out', async () => {
  const { cookies, csrfToken } = await signIn(await serverWith(older))
  const server = await serverWith(`${newer},${older}`)
  expect(await stateOf(server, cookies)).toMatchObject({ state: 'active' })
  // The token is that of a page that was open before the restart.
  const answer = await post(server, 'signout', asOf(server, cookies), { csrfToken })
  expect(await answer.json()).toEqual({ url: expect.not.stringContaining('csrf') })
  expect(await stateOf(server, cookies)).toEqual({ state: 'ended' })
})

test('a session begins under the first secret, which servers that have it last read as well', async () => {
  const { cookies } = await signIn(await serverWith(`${newer},${older}`))
  const token = valueIn(cookies, 'session')
  expect(await decode({ token, secret: newer })).toMatchObject({ token: expect.any(String) })
  await expect(decode({ token, secret: older })).rejects.toThrow('decryption')
  const [csrf = '', digest] = valueIn(cookies, 'csrf').split('|')
  expect(digest).toBe(crypto.createHash('sha256').update(`${csrf}${newer}`).digest('hex'))
  expect(await stateOf(await serverWith(`${older}, ${newer}`), cookies)).toMatchObject({ state: 'active' })
})

test('a session goes on for the person whose page is open, in either order of the secrets', async () => {
  const { cookies } = await signIn(await serverWith(older))
  const before = await stateOf(await serverWith(`${older}, ${newer}`), cookies)
  const after = await stateOf(await serverWith(`${newer},${older}`), cookies)
  const tagsOf = ({ person }: { person?: string | undefined }) => new Set(person?.split(' '))
  expect(tagsOf(after)).toEqual(tagsOf(before))
  expect(tagsOf(after).size).toBe(2)
})

test('a session that began under a removed secret is invalid', async () => {
  const { cookies } = await signIn(await serverWith(older))
  const payload = await decode({ token: valueIn(cookies, 'session'), secret: older })
  const removed = await encode({ token: payload ?? {}, secret: another })
  const ofRemoved = cookies.map((one) => one.replace(/(?<=\.session=).*/, removed))
  expect(await stateOf(await serverWith(`${newer},${older}`), ofRemoved)).toEqual({ state: 'ended' })
  expect(await stateOf(await serverWith(`${newer},${older}`), cookies)).toMatchObject({ state: 'active' })
})
