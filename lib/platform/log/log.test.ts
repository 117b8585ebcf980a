import fc from 'fast-check'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { captureLog } from '../../../test/log.ts'
import { currentRequest, inRequest } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import { captureConsole, createLog, humanLine, jsonLine, redact, redirectLog } from './create-log.ts'
import { messageOfError } from './error-fields.ts'
import { limitedLog } from './limited.ts'

const log = createLog({ level: 'info', fieldsOfEachLine: currentRequest }).child({ component: 'test' })
let logged: ReturnType<typeof captureLog>
beforeEach(() => {
  logged = captureLog()
})
afterEach(() => logged.stop())

test('a line has level, time, component, message and fields', () => {
  log.warn({ receiver: 'r1' }, 'Something is slow')
  expect(logged.lines).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      pid: process.pid,
      component: 'test',
      receiver: 'r1',
      message: 'Something is slow',
    },
  ])
})

test('a line below the level is not written', () => {
  log.debug('unseen')
  expect(logged.lines).toEqual([])
})

test('lines of a request carry its id and path, also after it waited, and those of no other', async () => {
  await inRequest({ request: 'one', path: '/gaps' }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    log.info('inside')
  })
  log.info('outside')
  expect(logged.lines).toMatchObject([{ request: 'one', path: '/gaps' }, { message: 'outside' }])
  expect(logged.lines[1]).not.toHaveProperty('request')
})

describe('no text forges a line', () => {
  const forged = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'a\nb',
      '\u001b[31m',
      '\u009b2J',
      '\r',
      '\u2028',
      '\u202e',
      '\u0085',
      '\u{e0001}',
      '"}\n{',
    ),
  )

  it.each(['message', 'field', 'name of a field', 'error'])('by its %s', (place) => {
    fc.assert(
      fc.property(forged, fc.boolean(), (text, human) => {
        const line = {
          time: '2026-11-22T05:00:00.000Z',
          level: 'error',
          component: 'test',
          message: place === 'message' ? text : 'known',
          ...(place === 'field' ? { field: text } : {}),
          ...(place === 'name of a field' && text !== '__proto__' ? { [`x${text}`]: 1 } : {}),
          ...(place === 'error' ? { err: { name: 'Error', message: text } } : {}),
        }
        const written = human ? humanLine(line) : jsonLine(line)
        expect(written.endsWith('\n')).toBe(true)
        expect(written.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  it('and JSON returns the original text', () => {
    const texts: string[] = []
    logged.stop()
    const stop = redirectLog((line) => void texts.push(line))
    log.info({ text: 'a\nb\u009b\u2028\u{e0001}' }, 'known')
    stop()
    expect(JSON.parse(texts.join('')).text).toBe('a\nb\u009b\u2028\u{e0001}')
  })
})

describe('an error', () => {
  const lineOf = (err: unknown) => {
    log.error({ err }, 'failed')
    return logged.lines.at(-1)?.err
  }

  it('has its name, code, message, frames and causes', () => {
    const cause = Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    const err = lineOf(new TypeError('broken', { cause }))
    expect(err).toMatchObject({
      name: 'TypeError',
      message: 'broken',
      stack: expect.stringMatching(/^at .*log\.test\.ts/),
      cause: { message: 'gone', code: 'ECONNRESET' },
    })
  })

  it('of PostgreSQL names the broken rule, and not the values', () => {
    const broken = Object.assign(new pg.DatabaseError('duplicate key', 1, 'error'), {
      code: '23505',
      table: 'person',
      constraint: 'person_email',
      detail: 'Key (email)=(somebody) already exists.',
    })
    expect(lineOf(broken)).toMatchObject({ code: '23505', table: 'person', constraint: 'person_email' })
    const unreadable = new pg.DatabaseError('invalid input syntax for type uuid: "somebody"', 1, 'error')
    lineOf(Object.assign(unreadable, { code: '22P02' }))
    expect(logged.text()).not.toContain('somebody')
  })

  it('that quotes unreadable input does not quote it here', () => {
    try {
      JSON.parse('somebody')
    } catch (error) {
      expect(lineOf(error)).toMatchObject({ name: 'SyntaxError' })
    }
    expect(logged.text()).not.toContain('somebody')
  })

  it('may be any value', () => {
    expect(lineOf('text')).toEqual({ name: 'string', message: 'text' })
  })
})

test.each([
  [
    'one without a message, of several addresses',
    Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('other')]), {
      code: 'ECONNREFUSED',
    }),
    'connect ECONNREFUSED ::1:5432',
  ],
  [
    'one of a call',
    new TypeError('fetch failed', { cause: new Error('other side closed') }),
    'other side closed',
  ],
  [
    'one of the operator, whole',
    new OperatorError(`A: ${'is wrong '.repeat(99)}\nB`),
    `A: ${'is wrong '.repeat(99)}\nB`,
  ],
  ['none', 'a text', 'a text'],
])('an error is said in a line: %s', (_, error, line) => expect(messageOfError(error)).toBe(line))

test.each(['ES9121000418450200051332', 'ES91 2100 0418 4502 0005 1332', 'NO9386011117947'])(
  'an IBAN is taken out of a text that others made: %s',
  (iban) => {
    expect(redact(`no account ${iban}, says the service`)).toBe('no account [IBAN], says the service')
  },
)

test('an id and a hash stay unchanged', () => {
  for (const text of ['2046967a-e17d-45b7-9cc9-a4c1b2ad1329', `0x${'371fa7c5'.repeat(8)}`, 'ON_HOLD_KYC'])
    expect(redact(text)).toBe(text)
})

test('e-mail addresses, credentials and tokens in foreign texts are removed', () => {
  const token = 'x'.repeat(43)
  log.info({ deep: [{ url: 'postgres://rampart:word@localhost/db' }] }, `for ana.b+c@demo.test with ${token}`)
  expect(logged.lines).toMatchObject([
    { message: 'for [e-mail] with [token]', deep: [{ url: 'postgres://…@localhost/db' }] },
  ])
})

test('e-mail addresses are removed wherever they are, also from a long text in linear time', () => {
  expect(redact('a@b.test_c@d.test, a@b_c@d.test, <a.b@c>, a@b.c1, @d.test')).toBe(
    '[e-mail][e-mail], a@[e-mail], <a.b@c>, a@b.c1, @d.test',
  )
  for (const part of ['x', '0x', 'a.', 'x-']) {
    const many = part.repeat((64 * 1024) / part.length)
    for (const text of [many, `a@${many}!`]) expect(redact(text)).toBe(text)
  }
})

test('on a terminal a line is for people, and an error has its frames below', () => {
  const err = { name: 'Error', message: 'two words', stack: 'at one (a.ts:1:1)\nat two (b.ts:2:2)' }
  const line = {
    level: 'warn',
    time: '2026-11-22T05:06:07.890Z',
    pid: 1,
    component: 'ingest',
    message: 'It broke',
  }
  expect(humanLine({ ...line, cause: 'database', more: 3, err })).toBe(
    [
      '05:06:07.890 WARN  ingest     It broke cause=database more=3 err={"name":"Error","message":"two words"}',
      '    at one (a.ts:1:1)',
      '    at two (b.ts:2:2)',
      '',
    ].join('\n'),
  )
})

describe('a limited log', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('writes each cause at once, and then the number of repetitions', () => {
    const limited = limitedLog(log, 1_000)
    for (let n = 0; n < 5; n++) limited.warn('database', { n }, 'failed')
    limited.warn('queue-full', {}, 'failed')
    expect(logged.lines.map(({ cause, more }) => [cause, more])).toEqual([
      ['database', undefined],
      ['queue-full', undefined],
    ])
    vi.advanceTimersByTime(1_000)
    expect(logged.lines.slice(2)).toMatchObject([{ cause: 'database', more: 4, n: 4 }])
    vi.advanceTimersByTime(10_000)
    expect(logged.lines).toHaveLength(3)
    limited.warn('database', {}, 'failed')
    expect(logged.lines).toHaveLength(4)
  })

  it('counts many different causes as one', () => {
    const limited = limitedLog(log, 1_000)
    for (let n = 0; n < 1_000; n++) limited.warn(`cause ${n}`, {}, 'failed')
    expect(logged.lines).toHaveLength(51)
    vi.advanceTimersByTime(1_000)
    expect(logged.lines.slice(51)).toMatchObject([{ cause: 'other', more: 949 }])
  })
})

test('the output of other code is one line of the log, whatever it contains', () => {
  const before = { ...console }
  captureConsole(log)
  console.error('\u001b[31m⨯\u001b[0m', 'two\nlines', new Error('broken'))
  console.log('%s is ready', 'it')
  Object.assign(console, before)
  expect(logged.lines).toMatchObject([
    { level: 'error', message: '⨯ two\nlines', err: { message: 'broken' } },
    { level: 'info', message: 'it is ready' },
  ])
})
