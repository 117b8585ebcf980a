import { spawn } from 'node:child_process'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase } from '../../test/postgres.ts'
import { sendRaw } from '../test/raw-sandbox.ts'
import { apiKey, createTestCaller, startTestSandbox, testVariables, until } from '../test/running.ts'
import { createLog } from './log.ts'
import { createRefusals } from './refusals.ts'

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.stop())
beforeEach(async () => {
  await sandbox.control('POST', '/reset')
})

const newest = async () => (await sandbox.control('GET', '/refusals?limit=1')).body[0]
const user = { email: 'a@demo.test', first_name: 'Ana', last_name: 'Ruiz', country: 'ES' }
const endpoints = '/merchant/webhook-endpoints'

describe('the log of refused requests', () => {
  it('has the answer’s status, message and id, and the request’s method and path without its query', async () => {
    const { body } = await sandbox.service('GET', `${endpoints}?status=gone`)
    const refused = await newest()
    expect(refused).toMatchObject({
      method: 'GET',
      path: `/onboarding${endpoints}`,
      status: 400,
      name: body.name,
      message: body.message,
      error_id: body.error_id,
    })
    expect(refused.broken_rules).toEqual([
      { where: 'query.status', rule: expect.stringContaining('"active"') },
    ])
    expect(Math.abs(Date.parse(refused.at) - Date.now())).toBeLessThan(5_000)
  })

  it.each<[string, string, string, unknown, Record<string, string>, [string, RegExp][]]>([
    [
      'each wrong field',
      'POST',
      '/user',
      { ...user, email: 'a', country: 'XX', phone: '' },
      {},
      [
        ['body.email', /e-mail address/],
        ['body.country', /"ES"/],
        ['body.phone', /./],
      ],
    ],
    [
      'a field that does not exist',
      'POST',
      endpoints,
      { url: 'https://a.example/', description: 'x', filter: [] },
      {},
      [['body', /"filter"/]],
    ],
    [
      'a wrong element of a list',
      'POST',
      endpoints,
      { url: 'https://a.example/', description: 'x', subscribed_events: ['KYC', 'kyb'] },
      {},
      [['body.subscribed_events.1', /"KYB"/]],
    ],
    [
      'a plain http address',
      'POST',
      endpoints,
      { url: 'http://a.example/', description: 'x' },
      {},
      [['body.url', /https/]],
    ],
    ['a place in the path that is no uuid', 'GET', `${endpoints}/7`, undefined, {}, [['param.id', /UUID/]]],
    [
      'a body that is no JSON',
      'POST',
      '/user',
      '{"email": "a@demo.test",\n  first_name: 1}',
      {},
      [['body, line 2, column 3', /JSON/]],
    ],
    ['an empty body', 'POST', '/user', '', {}, [['body', /empty/]]],
    [
      'another content type',
      'POST',
      '/user',
      'a=b',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      [['header Content-Type', /application\/json/]],
    ],
    [
      'no API key',
      'GET',
      '/supported/countries',
      undefined,
      { Authorization: '' },
      [['header Authorization', /missing/]],
    ],
    [
      'an API key with a word before it',
      'GET',
      '/supported/countries',
      undefined,
      { Authorization: `Bearer ${apiKey}` },
      [['header Authorization', /without a word before it/]],
    ],
    [
      'another API key',
      'GET',
      '/supported/countries',
      undefined,
      { Authorization: 'another' },
      [['header Authorization', /another/]],
    ],
    ['no session', 'GET', '/user', undefined, {}, [['header service-session-id', /user-uuid/]]],
    [
      'an unknown session',
      'GET',
      '/user',
      undefined,
      { 'service-session-id': 'x' },
      [['header service-session-id', /no such session/]],
    ],
    [
      'a user-uuid that is none',
      'GET',
      '/user',
      undefined,
      { 'user-uuid': 'x' },
      [['header user-uuid', /uuid/]],
    ],
    [
      'a login that is neither one nor the other',
      'POST',
      '/auth/login',
      { message: 'x' },
      {},
      [
        ['body', /./],
        ['body as alternative 1.signature', /./],
        ['body as alternative 2.user_uuid', /./],
        ['body as alternative 2', /"message"/],
      ],
    ],
  ])('names %s', async (_what, method, at, body, headers, rules) => {
    const { status } = await sandbox.service(method, at, body, headers)
    const refused = await newest()
    expect(refused.status).toBe(status)
    expect(refused.broken_rules).toEqual(
      rules.map(([where, rule]) => ({ where, rule: expect.stringMatching(rule) })),
    )
  })

  it('says why a code or a session does not count', async () => {
    const user_uuid = await sandbox.createUser(user)
    const exchange = (one_time_password: string) =>
      sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password })
    const rule = async () => (await newest()).broken_rules[0].rule
    const ask = async () => {
      await sandbox.service('POST', '/auth/login', { user_uuid })
      return sandbox.lastCode(user.email)
    }
    await exchange('1')
    expect(await rule()).toMatch(/none does/)
    const code = await ask()
    await exchange(code === '000000' ? '000001' : '000000')
    expect(await rule()).toMatch(/it is another/)
    await sandbox.control('POST', '/clock/advance', { seconds: 601 })
    await exchange(code)
    expect(await rule()).toMatch(/this code expired at/)
    const dead = await ask()
    for (let guess = 0; guess < 5; guess++) await exchange(dead === '000000' ? '000001' : '000000')
    await exchange(dead)
    expect(await rule()).toMatch(/dead after 5 wrong guesses/)

    const { body: session } = await exchange(await ask())
    await sandbox.control('POST', '/clock/advance', { seconds: 3_601 })
    await sandbox.service('GET', '/user', undefined, { 'service-session-id': session.service_session_id })
    expect(await rule()).toMatch(/this one expired at/)
  })

  it('has what never becomes a request, what the console refuses, and what fails on purpose', async () => {
    await sendRaw(sandbox.port, 'NONSENSE\r\n\r\n')
    expect(await newest()).toMatchObject({ method: '-', path: '-', status: 400 })
    await sandbox.control('POST', '/faults', { kind: 'fail', status: 503, next: 1 })
    await sandbox.service('GET', '/supported/countries')
    expect(await newest()).toMatchObject({ status: 503, message: 'Failed on purpose' })
    await sandbox.control('POST', '/clock/advance', { seconds: -1 })
    expect(await newest()).toMatchObject({ status: 400, path: '/_sandbox/clock/advance' })
    await sandbox.call('GET', '/nowhere')
    expect(await newest()).toMatchObject({ status: 404, path: '/nowhere' })
  })

  it('keeps the last thousand', async () => {
    await sandbox.service('GET', '/nowhere')
    const refused = await newest()
    const refusals = createRefusals(createLog('silent'))
    for (let count = 0; count < 1_010; count++) refusals.note({ ...refused, path: `${count}` })
    expect(refusals.list(2_000).map(({ path }) => path)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `${1_009 - index}`),
    )
  })

  it('lists the newest first, up to a limit, and is empty after a reset', async () => {
    for (const place of ['one', 'two', 'three']) await sandbox.service('GET', `/nowhere/${place}`)
    const { body } = await sandbox.control('GET', '/refusals?limit=2')
    expect(body).toMatchObject([{ path: '/onboarding/nowhere/three' }, { path: '/onboarding/nowhere/two' }])
    await sandbox.control('POST', '/reset')
    expect((await sandbox.control('GET', '/refusals')).body).toEqual([])
  })

  it('keeps the first 20 broken rules of a request, and the beginning of each', async () => {
    const body = { url: 'https://a.example/', description: 'x', subscribed_events: Array(100_000).fill('x') }
    expect((await sandbox.service('POST', endpoints, body)).status).toBe(400)
    const { broken_rules } = await newest()
    expect(broken_rules).toHaveLength(20)
    expect(broken_rules[19].where).toBe('body.subscribed_events.19')
    await sandbox.service('POST', endpoints, { ...body, subscribed_events: [], ['k'.repeat(500_000)]: 1 })
    expect((await newest()).broken_rules[0].rule).toHaveLength(2_000)
  })

  it('is shown on a page', async () => {
    await sandbox.service('POST', '/user', { ...user, country: '<XX>' })
    const page = await fetch(`${sandbox.origin}/refused`, { headers: { Accept: 'text/html' } })
    expect(await page.text()).toMatch(/POST \/onboarding\/user.*body\.country/s)
  })

  it('is written to the log, and holds no credential, code or body anywhere', async () => {
    const database = await createEmptyDatabase()
    const variables = testVariables(database.url, { SANDBOX_LOG_LEVEL: 'debug' })
    const child = spawn(process.execPath, [path.resolve(import.meta.dirname, '../main.ts')], {
      env: variables,
    })
    let written = ''
    const port = await new Promise<number>((resolve) => {
      child.stdout.on('data', (chunk) => {
        written += chunk
        const listensOn = /"port":(\d+)/.exec(written)?.[1]
        if (listensOn) resolve(Number(listensOn))
      })
    })
    const caller = createTestCaller(port)
    const secrets = ['wrong-key-4711', 'wrong-session-4711', '471147', '0xsignature4711', 'body4711']
    const [key = '', session = '', code = '', signature, text = ''] = secrets
    await caller.service('GET', '/supported/countries', undefined, { Authorization: key })
    await caller.service('GET', '/user', undefined, { 'service-session-id': session })
    const user_uuid = await caller.createUser()
    await caller.service('POST', '/auth/otp/', { user_uuid, one_time_password: code })
    await caller.service('POST', '/auth/login', { message: text, signature })
    await caller.service('POST', '/user', `{"email": ${text}`)
    await caller.service('POST', '/user', { ...user, country: text })
    await caller.service('GET', `/nowhere?key=${text}`)
    await caller.control('DELETE', `/namespaces/${key}`)
    await caller.control('DELETE', `/namespaces/${key}/`)
    await caller.call('DELETE', `/_sandbox/namespaces/${key}`, undefined, { Authorization: key })
    await caller.control('GET', `/namespaces/${key}/users`)
    await caller.call('GET', `/namespaces/${key}`)
    const { body } = await caller.control('GET', '/refusals')
    expect(body).toHaveLength(12)
    await until(() => written.split('"request refused"').length === 13, 'the lines of the log')
    expect(written).toMatch(/"where":"body.country"/)
    for (const secret of [...secrets, apiKey]) expect(written + JSON.stringify(body)).not.toContain(secret)
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('close', resolve))
    await database.drop()
  })
})
