import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox({ SANDBOX_DASHBOARD_URL: 'http://localhost:3000/' })
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

const read = async (path: string) =>
  (await fetch(`${sandbox.origin}${path}`, { headers: { Accept: 'text/html' } })).text()

async function submit(path: string, form: Record<string, string> = {}) {
  const body = new URLSearchParams(form)
  const answer = await fetch(`${sandbox.origin}${path}`, {
    method: 'POST',
    body,
    headers: { Accept: 'text/html' },
  })
  return { status: answer.status, text: await answer.text() }
}

const deliver = async (authorization: string, body = '{"type":"KYC","subType":"x","uuid":"u","data":{}}') =>
  (await fetch(`${sandbox.origin}/receiver`, { method: 'POST', headers: { authorization }, body })).status

const secretOf = async (): Promise<string> =>
  (await sandbox.createEndpoint(`${sandbox.origin}/receiver`)).secret

it('takes the service’s own deliveries, and shows each with its event', async () => {
  await sandbox.createEndpoint(`${sandbox.origin}/receiver`, { description: 'Own' })
  const event = { type: 'AML', subType: 'statusUpdate', uuid: crypto.randomUUID(), data: { status: 'x' } }
  await sandbox.control('POST', '/events', event)
  const page = await until(async () => {
    const text = await read('/receiver')
    return text.includes('statusUpdate') && text
  }, 'the delivery')
  expect(page).toContain('not checked')
  expect(page).toContain(event.uuid)
  expect((await submit('/receiver/clear')).text).toContain('Nothing yet.')
})

it('lets in the secrets that it was given alone, both of a replacement, until it forgets one', async () => {
  const [old, young] = [await secretOf(), await secretOf()]
  await submit('/receiver/secrets', { secret: old })
  expect([await deliver(`API-Key ${old}`), await deliver(`API-Key ${young}`)]).toEqual([200, 401])
  await submit('/receiver/secrets', { secret: young })
  expect([await deliver(`API-Key ${old}`), await deliver(`API-Key ${young}`)]).toEqual([200, 200])
  const page = await read('/receiver')
  expect(page).toContain(`…${old.slice(-6)}`)
  expect(page).not.toContain(old)
  expect(page).toContain('other secret')
  const id = /name="id" value="(\d+)"/.exec(page)?.[1] ?? ''
  await submit('/receiver/secrets/forget', { id })
  expect([await deliver(`API-Key ${old}`), await deliver(`API-Key ${young}`)]).toEqual([401, 200])
})

it('answers 500 on request until the service switches the endpoint off, and 200 again', async () => {
  const { text } = await submit('/receiver/status', { status: '500' })
  expect(text).toMatch(/value="500" aria-pressed="true"/)
  expect(text).toContain('switches the endpoint off')
  expect(await deliver('API-Key x')).toBe(500)
  await submit('/receiver/status', { status: '200' })
  expect(await deliver('API-Key x')).toBe(200)
})

it('refuses what is no answer and no secret, and says so beside it', async () => {
  expect((await submit('/receiver/status', { status: '302' })).status).toBe(400)
  const { status, text } = await submit('/receiver/secrets', { secret: 'two words' })
  expect(status).toBe(400)
  expect(text).toContain('id="secret-error"')
  expect((await submit('/receiver/secrets')).text).toContain('Paste the secret')
})

it('keeps what is no event as it came, and only the latest 200', async () => {
  expect(await deliver('API-Key x', 'no <json>\0')).toBe(200)
  expect(await read('/receiver')).toContain('no &lt;json&gt;')
  for (let n = 0; n < 205; n++) await deliver('API-Key x')
  expect(await read('/receiver')).toContain('The newest 50 are shown.')
})

it('says how much of a play was delivered, and leads to it in the dashboard', async () => {
  const user_uuid = await sandbox.createUser()
  const { text: unheard } = await submit('/scenarios', { name: 'kyc', user_uuid, speed: '0' })
  expect(unheard).toContain(`http://localhost:3000/go/${user_uuid}`)
  await until(async () => (await read('/')).includes('sent, to nobody'), 'a play that nobody hears')
  await sandbox.createEndpoint(`${sandbox.origin}/receiver`)
  const { text } = await submit('/scenarios', { name: 'fiat-to-crypto', user_uuid, speed: '0' })
  const uuid = /go\/([0-9a-f-]{36})/.exec(text)?.[1]
  expect(uuid).not.toBe(user_uuid)
  await until(async () => /(\d+) of \1 delivered/.test(await read('/')), 'all of it')
})

it('leads to the bank account or the company that a play is about, and keeps the capitals of its title', async () => {
  const user_uuid = await sandbox.createUser()
  await sandbox.createEndpoint(`${sandbox.origin}/receiver`)
  const linkOf = async (name: string) => {
    await submit('/scenarios', { name, user_uuid, speed: '0' })
    const play = `<li>.*?(?=</li>)`
    const newest = async () => new RegExp(`id="played".*?(${play})`, 's').exec(await read('/'))?.[1] ?? ''
    await until(async () => /(\d+) of \1 delivered/.test(await newest()), 'all of it')
    return { text: await newest(), uuid: /go\/([0-9a-f-]{36})/.exec(await newest())?.[1] }
  }
  const bodyOf = async (type: string) => {
    const page = await read('/receiver')
    const [, body = ''] =
      new RegExp(`<pre[^>]*>([^<]*&quot;type&quot;: ?&quot;${type}&quot;[^<]*)`).exec(page) ?? []
    return JSON.parse(body.replaceAll('&quot;', '"'))
  }
  const account = await linkOf('link-bank-account')
  expect(account.text).toContain('Bank accounts: bank account linked')
  expect(account.uuid).toBe((await bodyOf('linkBankAccount')).data.uuid)
  const company = await linkOf('kyb-failed')
  expect(company.text).toContain('KYB failed')
  expect(company.uuid).toBe((await bodyOf('KYB')).uuid)
})

it('lists more than ten plays', async () => {
  const user_uuid = await sandbox.createUser()
  for (let n = 0; n < 12; n++) await submit('/scenarios', { name: 'mail-bounced', user_uuid, speed: '0' })
  const [, played = ''] = /id="played"(.*)<h2>Connection/s.exec(await read('/')) ?? []
  expect(played.split('code mail bounced').length - 1).toBe(12)
})

it('waits for no event of a play that nobody is subscribed to', async () => {
  const user_uuid = await sandbox.createUser()
  await sandbox.createEndpoint(`${sandbox.origin}/receiver`, { subscribed_events: ['fiatToCrypto'] })
  await submit('/scenarios', { name: 'sender-name-mismatch', user_uuid, speed: '0' })
  const reported = '4 of 4 delivered, 1 more that nobody was subscribed to'
  await until(async () => (await read('/')).includes(reported), 'all that somebody gets')
})

it('serves its stylesheet, script and typeface itself, and no page holds any of it', async () => {
  const page = await read('/')
  expect(page).not.toMatch(/<style|<script(?![^>]*src)/)
  const assets = [...page.matchAll(/(?:href|src)="(\/console\.[^"]+)"/g)].map(([, path]) => path)
  expect(assets).toHaveLength(2)
  const sheet = await read(assets[0] ?? '')
  const fonts = [...sheet.matchAll(/url\((\/fonts\/[^)]+)\)/g)].map(([, path]) => path ?? '')
  expect(fonts.length).toBeGreaterThan(10)
  for (const path of [...assets.slice(1), fonts[0], fonts.at(-1)]) {
    const answer = await fetch(`${sandbox.origin}${path}`)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('immutable'),
    ])
  }
  expect((await fetch(`${sandbox.origin}/fonts/..%2Fpackage.json`)).status).toBe(404)
})
