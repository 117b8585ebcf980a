import http from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventTypes } from '../state/event-types.ts'
import { startTestReceiver, startTestSandbox, until } from '../test/running.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

const pages = ['/', '/events', '/mailbox', '/users', '/endpoints', '/clock', '/faults', '/refused', '/reset']

async function read(path: string) {
  const response = await fetch(`${sandbox.origin}${path}`, { headers: { Accept: 'text/html' } })
  return { status: response.status, text: await response.text() }
}

/** The function sends a form as a browser does, and reads the page that follows. */
async function submit(path: string, form: Record<string, string> = {}) {
  const response = await fetch(`${sandbox.origin}${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: { Accept: 'text/html' },
  })
  return { status: response.status, text: await response.text() }
}

const control = async (path: string) => (await sandbox.control('GET', path)).body
const count = (text: string, part: string) => text.split(part).length - 1

describe('the page Clock', () => {
  const ahead = async () => (Date.parse((await control('/clock')).now) - Date.now()) / 1000

  it('shows the time, says what it moves, and goes ahead, by a step or by what is typed', async () => {
    const before = (await read('/clock')).text
    expect(before).toContain('Real time, at real speed')
    expect(before).toMatch(/Moves<\/b> retries, the steps of scenarios, and when codes, sessions .* expire/)
    expect(before).toMatch(/Does not move<\/b> the dashboard: whatever arrives there arrives now/)
    await submit('/clock/advance', { by: '60' })
    const { status, text } = await submit('/clock/advance', { by: '1.5', unit: '3600' })
    expect(status).toBe(200)
    expect(await ahead()).toBeGreaterThan(5_455)
    expect(text).toContain('1 h 31 min ahead of real time, at real speed')
  })

  it.each([
    ['advance', 'by', '0'],
    ['advance', 'by', 'soon'],
    ['advance', 'by', ''],
    ['advance', 'by', '99999999999'],
    ['speed', 'factor', '0'],
    ['speed', 'factor', 'fast'],
  ])('keeps what was typed beside what is wrong with it: %s %s %s', async (form, name, value) => {
    const { status, text } = await submit(`/clock/${form}`, { [name]: value })
    expect(status).toBe(400)
    expect(text).toContain(`name="${name}" value="${value}"`)
    expect(text).toContain(`id="${name}-error"`)
    expect(await control('/clock')).toMatchObject({ speed: 1 })
    expect(Math.abs(await ahead())).toBeLessThan(2)
  })

  it('says what the next retry is, and goes there', async () => {
    const receiver = await startTestReceiver((_received, tries) => (tries < 3 ? 500 : 200))
    await sandbox.createEndpoint(receiver.url, { description: 'Ledger' })
    await sandbox.control('POST', '/events', {
      type: 'AML',
      subType: 'statusUpdate',
      uuid: crypto.randomUUID(),
      data: {},
    })
    const page = await until(async () => {
      const { text } = await read('/clock')
      return text.includes('Retry 1 of 6') && text
    }, 'the retry')
    expect(page).toContain('AML statusUpdate')
    expect(page).toContain('>Ledger</a>')
    const next = await submit('/clock/advance/next-retry')
    expect(receiver.received).toHaveLength(2)
    expect(next.text).toContain('Retry 2 of 6')
    expect(next.text).toContain('in 1 min')
    expect((await submit('/clock/advance/next-retry')).text).toContain('No retries pending.')
    expect(receiver.received).toHaveLength(3)
    await receiver.stop()
  })

  it('goes to the next step of a scenario', async () => {
    await sandbox.createUser()
    await sandbox.control('POST', '/scenarios', { name: 'kyc', speed: 1 })
    await until(
      async () => (await read('/clock')).text.includes('To the next step of a scenario'),
      'the step',
    )
    await submit('/clock/advance/next')
    expect((await read('/clock')).text).not.toContain('To the next step of a scenario')
    expect(await ahead()).toBeGreaterThan(10)
  })

  it('says on every page that it is going ahead when that takes long', async () => {
    const receiver = await startTestReceiver((_received, tries) => (tries === 1 ? 500 : undefined))
    await sandbox.createEndpoint(receiver.url)
    await sandbox.control('POST', '/events', {
      type: 'AML',
      subType: 'x',
      uuid: crypto.randomUUID(),
      data: {},
    })
    await until(async () => (await control('/clock')).next_due_at, 'the retry')
    const { text } = await submit('/clock/advance', { by: '3600' })
    expect(text).toContain('<b>Advancing</b>')
    expect((await read('/users')).text).toContain('The clock is going ahead')
    await receiver.stop()
    await until(async () => !(await read('/clock')).text.includes('Advancing'), 'the hour')
    expect(await ahead()).toBeGreaterThan(3_500)
  })

  it('sets the speed, and says on every page that time is not real', async () => {
    const { text } = await submit('/clock/speed', { factor: '60' })
    expect(text).toMatch(/value="60" aria-pressed="true"/)
    expect(await control('/clock')).toMatchObject({ speed: 60 })
    for (const path of pages) expect((await read(path)).text).toContain('60 times as fast')
    await sandbox.control('POST', '/reset')
    for (const path of pages) expect((await read(path)).text).not.toContain('as fast.')
  })

  it('freezes the clock and lets it go on', async () => {
    const { text } = await submit('/clock/freeze', {})
    const { now, frozen } = await control('/clock')
    expect(frozen).toBe(true)
    expect(text).toContain('data-speed="0"')
    for (const path of pages) expect((await read(path)).text).toContain(`frozen at ${now}`)
    expect((await submit('/clock/resume', {})).text).not.toContain('frozen at')
    expect((await control('/clock')).frozen).toBe(false)
  })
})

describe('the page Faults', () => {
  it.each([
    ['fail', { kind: 'fail', status: 503, left: null }],
    ['slow', { kind: 'slow', milliseconds: 2000, left: null }],
    ['drop_answer', { kind: 'drop_answer', left: null }],
    ['invalid_json', { kind: 'invalid_json', left: null }],
    ['duplicate', { kind: 'duplicate', times: 1, left: null }],
    ['reorder', { kind: 'reorder', left: null }],
    ['deliver_before_answer', { kind: 'deliver_before_answer', left: null }],
  ])('switches %s on as it is offered', async (kind, expected) => {
    const page = (await read('/faults')).text
    const form = page.split('<form').find((part) => part.includes(`value="${kind}"`)) ?? ''
    const inputs = [...form.matchAll(/<input name="(\w+)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]))
    expect((await submit('/faults', { ...fields, kind })).status).toBe(200)
    expect(await control('/faults')).toEqual([{ id: expect.any(String), ...expected }])
  })

  it('takes settings, says what is on, and switches off one or all', async () => {
    await submit('/faults', {
      kind: 'fail',
      status: '429',
      method: 'POST',
      path: '/auth/login',
      next: '3',
    })
    const { text } = await submit('/faults', { kind: 'reorder' })
    expect(text).toContain('status 429 · POST /auth/login… · 3 more times')
    for (const path of pages) {
      expect((await read(path)).text).toContain('<b>Faults are on:</b> Failing calls, Wrong order.')
    }
    const [first] = await control('/faults')
    await submit('/faults/off', { id: first.id })
    expect(await control('/faults')).toMatchObject([{ kind: 'reorder' }])
    expect((await submit('/faults/off')).text).toContain('no fault is on')
    expect(await control('/faults')).toEqual([])
    expect((await read('/')).text).not.toContain('Faults are on')
  })

  it('keeps what was typed beside what is wrong with it', async () => {
    const { status, text } = await submit('/faults', { kind: 'fail', status: '200', next: 'a few' })
    expect(status).toBe(400)
    expect(text).toContain('name="next" value="a few"')
    expect(text).toMatch(/id="fail-status-error" role="alert">A whole number from 400 to 599</)
    expect(text).toMatch(/id="fail-next-error"/)
    expect(count(text, '<details open')).toBe(1)
    expect(await control('/faults')).toEqual([])
  })
})

describe('the page Events', () => {
  const field = (page: string, name: string) =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const data = (page: string) =>
    (/<textarea[^>]*>([^<]*)</.exec(page)?.[1] ?? '').replaceAll('&quot;', '"').replaceAll('&#39;', "'")

  it.each(eventTypes)('fills in an example of %s that can be sent', async (type) => {
    const user = await sandbox.createUser()
    const { text } = await read(`/events?type=${type}&user=${user}`)
    const form = { type, subType: field(text, 'subType'), uuid: field(text, 'uuid'), data: data(text) }
    expect(field(text, 'type')).toBe(type)
    expect(Object.keys(JSON.parse(form.data)).length).toBeGreaterThan(0)
    expect((await submit('/events', form)).text).toContain('Sent to nobody.')
  })

  it('sends exactly what was typed', async () => {
    const receiver = await startTestReceiver()
    await sandbox.createEndpoint(receiver.url)
    const uuid = await sandbox.createUser()
    const { text } = await submit('/events', {
      type: 'KYC',
      subType: 'x',
      uuid,
      data: '{"amount": 12345678901234567890.10}',
    })
    expect(text).toMatch(/<b>Sent<\/b> to 1 endpoint\./)
    const delivery = await until(() => receiver.received[0], 'the delivery')
    expect(delivery.body).toBe(
      `{"type":"KYC","subType":"x","uuid":"${uuid}","data":{"amount": 12345678901234567890.10}}`,
    )
    await receiver.stop()
  })

  it.each([
    ['data', { data: '{"a":' }],
    ['data', { data: '[1]' }],
    ['data', { data: '' }],
    ['uuid', { uuid: 'nobody' }],
    ['type', { type: 'other' }],
    ['subType', { subType: '' }],
  ])('keeps what was typed when its %s does not fit', async (name, wrong) => {
    const form = { type: 'KYC', subType: 'x', uuid: crypto.randomUUID(), data: '{"kept": 1}', ...wrong }
    const { status, text } = await submit('/events', form)
    expect(status).toBe(400)
    expect(text).toContain(`id="${name}-error"`)
    expect(data(text)).toBe(form.data)
  })

  it('starts a load, says how it goes, and stops it', async () => {
    await sandbox.createUser()
    await submit('/events/load', { per_second: '20', seconds: '600' })
    await until(async () => (await control('/load')).sent > 0, 'the first event')
    expect((await read('/events')).text).toMatch(/of 12,000 events/)
    expect((await read('/users')).text).toContain('A load is running')
    await submit('/events/load/stop')
    expect(await control('/load')).toMatchObject({ state: 'stopped' })
    expect((await read('/users')).text).not.toContain('A load is running')
  })

  it('says why a load cannot start', async () => {
    expect((await submit('/events/load', { per_second: '0', seconds: '10' })).text).toContain(
      'id="per_second-error"',
    )
    const { status, text } = await submit('/events/load', { per_second: '5', seconds: '10' })
    expect(status).toBe(404)
    expect(text).toContain('There is no user yet')
  })
})

describe('the page Reset', () => {
  it('says first what would be lost', async () => {
    await sandbox.createUser()
    await sandbox.createEndpoint('https://merchant.example/hook')
    await sandbox.control('POST', '/faults', { kind: 'slow', milliseconds: 1 })
    await sandbox.control('POST', '/clock/advance', { seconds: 86_400 })
    const { text } = await read('/reset')
    expect(text).toMatch(/<dt>users<\/dt><dd class="num">1</)
    expect(text).toMatch(/<dt>endpoints<\/dt><dd class="num">1</)
    expect(text).toMatch(/<dt>faults that are on<\/dt><dd class="num">1</)
    expect(text).toMatch(/<dt>the clock<\/dt><dd>1 d 0 h ahead of real time</)
    expect(await control('/users')).toHaveLength(1)
    expect((await submit('/reset')).text).toContain('Everything is gone.')
    expect(await control('/users')).toEqual([])
    expect(await control('/faults')).toEqual([])
  })
})

describe('long lists', () => {
  it('show the newest hundred, and find the others', async () => {
    const database = new pg.Client({ connectionString: sandbox.databaseUrl })
    await database.connect()
    await database.query(
      `INSERT INTO webhook_endpoint (uuid, url, description, status, signing_secret, created_at)
       SELECT gen_random_uuid(), 'https://merchant.example/' || n, 'Number ' || n || '.', 'disabled', 's', now() + n * interval '1 s'
       FROM generate_series(1, 10000) n`,
    )
    await database.query(
      `INSERT INTO account (uuid, email, first_name, last_name, country, status, created_at)
       SELECT gen_random_uuid(), n || '.@demo.test', 'Ana', 'Ruiz', 'ES', 'CREATED', now() + n * interval '1 s'
       FROM generate_series(1, 3000) n`,
    )
    await database.end()

    const endpoints = (await read('/endpoints')).text
    expect(count(endpoints, 'class="name"')).toBe(100)
    expect(endpoints).toContain('The newest 100 of 10,000 are shown')
    expect(endpoints).toContain('Number 10000.')
    const found = (await read('/endpoints?text=number+7.')).text
    expect(count(found, 'class="name"')).toBe(1)
    expect(found).toContain('Deliveries to Number 7.')
    expect((await read('/endpoints?status=active')).text).toContain('No endpoint fits.')

    const users = (await read('/users')).text
    expect(count(users, '>Ana Ruiz<')).toBe(100)
    expect(users).toContain('The newest 100 of 3,000 are shown')
    expect(count((await read('/users?text=17.@demo.test')).text, '>Ana Ruiz<')).toBe(30)

    const [oldest] = await control('/users')
    const scenarios = (await read(`/?user=${oldest.uuid}`)).text
    expect(scenarios).toContain(`<option value="${oldest.uuid}" selected>`)
    expect(scenarios).toContain('The newest 100 of 3,000 users can be chosen here')
    expect(count((await read('/mailbox')).text, 'class="chip"')).toBeLessThan(20)
    for (const path of pages) expect((await read(path)).text.length).toBeLessThan(200_000)
  })
})

describe('the console', () => {
  it('shows a person a page where there is none, and tells a program', async () => {
    const page = await read('/nowhere')
    expect(page.status).toBe(404)
    expect(page.text).toContain('<h1>No such page</h1>')
    expect((await sandbox.call('GET', '/nowhere')).body).toMatchObject({ statusCode: 404 })
    expect((await sandbox.control('GET', '/nowhere')).body).toMatchObject({ statusCode: 404 })
  })

  it('shows a person why a form was refused', async () => {
    const { status, text } = await submit('/scenarios', { name: 'none' })
    expect(status).toBe(400)
    expect(text).toContain('<h1>That did not work</h1>')
  })

  it.each([
    ['/clock/advance', 'by=60'],
    ['/clock/advance/next', ''],
    ['/clock/advance/next-retry', ''],
    ['/clock/speed', 'factor=2'],
    ['/clock/freeze', ''],
    ['/faults', 'kind=reorder'],
    ['/faults/off', ''],
    ['/events', `type=KYC&subType=x&uuid=${crypto.randomUUID()}&data={}`],
    ['/events/load', 'per_second=1&seconds=1'],
    ['/events/load/stop', ''],
    ['/reset', ''],
  ])('takes %s from itself only', async (path, form) => {
    const host = `localhost:${sandbox.port}`
    await sandbox.createUser()
    const before = JSON.stringify([
      await control('/users'),
      await control('/faults'),
      (await control('/clock')).speed,
    ])
    expect(await status({ Host: host, Origin: 'https://evil.example' })).toBe(403)
    expect(await status({ Host: `evil.example:${sandbox.port}` })).toBe(421)
    const after = [await control('/users'), await control('/faults'), (await control('/clock')).speed]
    expect(JSON.stringify(after)).toBe(before)

    /** `fetch` would set its own Host and Origin. */
    function status(headers: Record<string, string>): Promise<number> {
      return new Promise((resolve, reject) => {
        const options = {
          port: sandbox.port,
          host: '127.0.0.1',
          method: 'POST',
          path,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        }
        const outgoing = http.request(options, (incoming) => {
          incoming.resume()
          resolve(incoming.statusCode ?? 0)
        })
        outgoing.on('error', reject)
        outgoing.end(form)
      })
    }
  })
})
