import crypto from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { filterNames } from '#lib/transactions/rules/transaction-filters.ts'
import { builtActionId } from '../test/built-actions.ts'
import { actions, addresses, bodies } from '../test/entries.ts'
import {
  type EveryRole,
  filesOf,
  sourceOf,
  startForEveryRole,
  uncompressed,
  unknownIds,
  withIds,
} from '../test/every-role.ts'
import { addReceiver } from '../test/ingest.ts'
import { shareOf } from '../test/share.ts'

// Every input gets values that no page of ours sends. Each has an answer, and none is an error of ours. Each
// address and action needs a line in `test/entries.ts`, or `every-entry` and `every-action` fail.

let all: EveryRole
let receiver: Awaited<ReturnType<typeof addReceiver>>
beforeAll(async () => {
  all = await startForEveryRole()
  receiver = await addReceiver(all.pool, { key: all.server.key })
})
afterAll(() => all.stop())

const namesOfPrototype = Object.getOwnPropertyNames(Object.prototype)
const nameOfPrototype = (nth: number) => namesOfPrototype[nth % namesOfPrototype.length] ?? ''
const longText = 'a'.repeat(20_000)
const nestedTo = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const ofPrototype = `{${namesOfPrototype.map((name) => `${JSON.stringify(name)}:{"a":"b"}`).join()}}`

/** Pages and routes read these names from their addresses. */
const queryNames = [
  ...new Set([
    ...filterNames,
    ...[...filesOf('page.tsx'), ...filesOf('route.ts')]
      .map(sourceOf)
      .concat(
        fs
          .globSync('lib/**/*.ts', { exclude: (file) => /\.test\.|generated/.test(file) })
          .map((file) => fs.readFileSync(file, 'utf8'))
          .filter((source) => /Filters|cursor|searchParams/.test(source)),
      )
      .flatMap((source) => [
        ...[...source.matchAll(/(\w+)\??: (?:z\.|textSchema|string)/g)].map(([, name = '']) => name),
        ...[...source.matchAll(/searchParams\.get\('(\w+)'\)/g)].map(([, name = '']) => name),
      ]),
  ]),
]

async function expectNoError(act: () => Promise<unknown>) {
  const from = all.server.printed().length
  await act()
  await fetch(`${all.server.url}/api/session`)
  const lines = all.server.printed().slice(from).split('\n')
  // The service is not running, which the dashboard logs itself.
  expect(lines.filter((line) => line.includes('"level":"error"') && !line.includes('ServiceError'))).toEqual(
    [],
  )
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const headers = { ...uncompressed, ...init.headers }
  const given = { redirect: 'manual', signal: AbortSignal.timeout(30_000), ...init, headers } as const
  const answer = await fetch(url, given)
  await answer.body?.cancel()
  return answer.status
}

const paths = Object.entries(addresses).flatMap(([line, [who, ...some]]) => {
  const [first = '', file] = line.split(' ')
  const method = file === undefined ? 'GET' : first
  return some.map((address) => ({ method, address, who }))
})
const read = paths.filter(({ method, address }) => method === 'GET' && address !== '/api/live')
const written = paths.filter(({ method, who }) => method === 'POST' && who !== 'service')

describe.each(read.map((page, nthPage) => ({ ...page, nthPage })))('GET $address', ({ address, nthPage }) => {
  const asked = (query: string) => {
    const url = all.server.url + withIds(address, unknownIds())
    return statusOf(`${url}${url.includes('?') ? '&' : '?'}${query}`, {
      headers: { cookie: all.cookieOf('admin') },
    })
  }

  test('answers the names of a prototype, as names and as values', () =>
    expectNoError(async () => {
      const values = (pick: (nth: number) => string) =>
        queryNames.map((name, nth) => `${name}=${pick(nth)}`).join('&')
      const odd = [
        // The first is an object. The others are functions, with another one for each name.
        values(() => '__proto__'),
        values(() => 'constructor'),
        values((nth) => nameOfPrototype(nth + nthPage)),
        namesOfPrototype.map((name) => `${name}=x&${name}[a]=y`).join('&'),
      ]
      for (const query of shareOf(odd, nthPage))
        expect(await asked(query), query.slice(0, 80)).toBeLessThan(500)
    }))

  test('answers a name that comes twice, and a text as long as an address may be', () =>
    expectNoError(async () => {
      const odd = [
        queryNames.map((name) => `${name}=a&${name}=b`),
        queryNames.map((name) => `${name}=${'a1'.repeat(40)}`),
        queryNames.map((name) => `${name}=%00%ff%`),
        ['next', 'email', 'from', 'after', 'text'].map((name) => `${name}=${'a'.repeat(2_400)}`),
      ]
      for (const query of shareOf(odd, nthPage))
        expect(await asked(query.join('&')), query[0]?.slice(0, 80)).toBeLessThan(500)
    }))

  const segments = address.split('?', 1).join('').split('/')
  const variable = segments.findIndex((part) => part.startsWith(':') || part.includes('%3A'))
  if (variable > 0)
    test('answers requests for ids that do not exist', () =>
      expectNoError(async () => {
        const odd = [
          '__proto__',
          '%00',
          'a'.repeat(10_000),
          'constructor',
          '%ff',
          nameOfPrototype(nthPage),
          '%',
        ]
        for (const id of shareOf([...odd, encodeURIComponent('["')], nthPage)) {
          const path = segments
            .with(variable, id)
            .map((part) => withIds(part, unknownIds()))
            .join('/')
          const headers = { cookie: all.cookieOf('admin') }
          expect(await statusOf(all.server.url + path, { headers }), id).toBeLessThan(500)
        }
      }))
})

describe.each(written.map((one, nthPath) => ({ ...one, nthPath })))(
  'POST $address',
  ({ address, nthPath }) => {
    const post = async (body: string, type: string) =>
      statusOf(all.server.url + withIds(address, unknownIds()), {
        method: 'POST',
        headers: { cookie: await all.newCookie('admin'), origin: all.server.url, 'content-type': type },
        body,
      })
    const given = withIds(bodies[address] ?? '{}', unknownIds())

    test.each(
      ['application/json', 'application/x-www-form-urlencoded', 'text/csv', ''].map(
        (type, nth) => [type, nth + nthPath] as const,
      ),
    )('answers odd bodies of %s', (type, nth) =>
      expectNoError(async () => {
        const odd = [
          '',
          '{',
          'null',
          ofPrototype,
          namesOfPrototype.map((name) => `${name}=a&${name}[b]=c`).join('&'),
          JSON.stringify(longText),
          JSON.stringify({
            text: longText,
            link: longText,
            uuids: [longText],
            email: longText,
            code: longText,
          }),
          nestedTo(30_000),
          given.replace(/}$/, `,"deep":${nestedTo(20_000)}}`),
        ]
        for (const body of shareOf(odd, nth))
          expect(await post(body, type), body.slice(0, 60)).toBeLessThan(500)
      }),
    )

    test('answers 31 MB without a line end', () =>
      expectNoError(async () => {
        const cookie = await all.newCookie('admin')
        expect(
          await sendLarge(withIds(address, unknownIds()), { cookie, origin: all.server.url }),
        ).toBeLessThan(500)
      }))
  },
)

/** The request sends 31 MB in pieces, until there is an answer. */
function sendLarge(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(all.server.url + path, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(31_000_000) },
    })
    let status: number | undefined
    request.on('response', (answer) => {
      status = answer.statusCode ?? 0
      resolve(status)
      request.destroy()
    })
    request.on('error', reject)
    const piece = Buffer.alloc(31_000, 'a')
    let sent = 0
    const go = () => {
      if (status !== undefined || sent === 1_000) return
      sent += 1
      request.write(piece, () => setTimeout(go, sent < 8 ? 20 : 0))
    }
    go()
  })
}

const FieldsSchema = z.record(z.string(), z.unknown())

describe.each(Object.keys(actions).map((one, nthAction) => [one, nthAction] as const))(
  '%s',
  (one, nthAction) => {
    const name = one.split(' ')[1] ?? ''
    const call = async (body: string) => {
      const answer = await fetch(`${all.server.url}/profile`, {
        method: 'POST',
        headers: {
          ...uncompressed,
          'next-action': builtActionId(name),
          'content-type': 'text/plain;charset=UTF-8',
          origin: all.server.url,
          cookie: await all.newCookie('admin'),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
      })
      return { status: answer.status, text: await answer.text() }
    }

    test('answers odd forms', () =>
      expectNoError(async () => {
        const { text } = await call('[{}]')
        const wanted = Object.keys(
          FieldsSchema.parse(JSON.parse(/"fields":(\{.*?\})/.exec(text)?.[1] ?? '{}')),
        )
        const form = (pick: (nth: number) => string) =>
          `[{${wanted.map((field, nth) => `${JSON.stringify(field)}:${pick(nth)}`).join()}}]`
        const formOf = (value: string) => form(() => value)
        const odd = [
          formOf('"__proto__"'),
          formOf('"constructor"'),
          form((nth) => JSON.stringify(nameOfPrototype(nth + nthAction))),
          formOf(JSON.stringify(longText)),
          formOf('"\\u0000\\ud800"'),
          formOf(ofPrototype),
          formOf(nestedTo(10)),
          `[${ofPrototype}]`,
          nestedTo(10),
        ]
        for (const body of shareOf(odd, nthAction)) {
          const answer = await call(body)
          // A form of many long fields is larger than a form may be.
          expect(answer.status, body.slice(0, 80)).toBe(body.length > 65_536 ? 413 : 200)
          expect(answer.text, body.slice(0, 80)).not.toContain('Something went wrong here')
        }
      }))
  },
)

describe('a form of an action', () => {
  const named = (name: string) => `Content-Disposition: form-data; name="${name}"`
  const part = (text: string, ...head: string[]) => `--b\r\n${head.join('\r\n')}\r\n\r\n${text}\r\n`
  const field = part('x', named('_1_x'))
  const root = part('[null,"$K1"]', named('0'))
  const evil = '["$1:__proto__:then"]'
  const end = '--b--\r\n'
  const ofB = 'multipart/form-data; boundary=b'
  const post = (body: string, type: string) =>
    statusOf(`${all.server.url}/sign-in`, {
      method: 'POST',
      headers: {
        'next-action': builtActionId('beginPasskeySignInAction'),
        'content-type': type,
        origin: all.server.url,
      },
      body,
    })

  test.each([
    ['fields and arguments', `${field}${root}${end}`],
    ['arguments and fields', `${root}${field}${end}`],
    ['no fields', `${root}${end}`],
    ['as many fields as there can be', `${field.repeat(900)}${root}${end}`],
    ['as many forms as there can be', `${field}${part(`[[${'"$K1",'.repeat(9_000)}1]]`, named('0'))}${end}`],
    ['two forms', `${part('', named('_2_x'))}${field}${part('["$K1","$K2"]', named('0'))}${field}${end}`],
  ])('with %s is read', (_what, body) => expectNoError(async () => expect(await post(body, ofB)).toBe(200)))

  test.each([
    ['two heads', `${part(evil, named('0'), named('_1_x'))}${root}${end}`],
    ['two names', `${part(evil, `${named('0')}; name="_1_x"`)}${root}${end}`],
    ['another name', `${part(evil, `${named('_1_x')}; name*=utf-8''0`)}${root}${end}`],
    ['an encoding', `${part('W3t9XQ==', named('0'), 'Content-Transfer-Encoding: base64')}${end}`],
    ['a charset', `${part('[{}]', named('0'), 'Content-Type: text/plain; charset=utf-16le')}${end}`],
    [
      'a form inside',
      `${part(`--c\r\n\r\n--c--`, named('_1_x'), 'Content-Type: multipart/mixed; boundary=c')}${root}${end}`,
    ],
    ['a name of 16 KB', `${part('x', named(`_1_${longText}`))}${root}${end}`],
    ['no end', root],
    ['text around it', `x\r\n${root}${end}x`],
    ['carriage returns', `${root}${end}`.replaceAll('\n', '')],
    ['a mark', `${part('\ufeff[{}]', named('0'))}${end}`],
    ['capitals', `${root}${end}`, 'Multipart/Form-Data; boundary=b'],
    ['no boundary', `${root}${end}`, 'multipart/form-data'],
    ['two boundaries', `${root}${end}`, 'multipart/form-data; boundary=c; boundary=b'],
    ['another type', `${root}${end}`, 'multipart/mixed; boundary=b'],
    ['a text as its type', `${root}${end}`, 'text/plain;charset=UTF-8'],
  ])('with %s is refused', (_what, body, type = ofB) =>
    expectNoError(async () => expect(await post(body, type)).toBe(400)),
  )

  // The server refuses these before Next looks for the action, so one action stands for all.
  test('that is a text without arguments is refused', () =>
    expectNoError(async () => {
      const deep = [nestedTo(30_000), `[{"a":${nestedTo(500)}}]`]
      for (const body of [...deep, '', '{', '["$1:__proto__:then"]', '["$F1"]'])
        expect(await post(body, 'text/plain;charset=UTF-8'), body.slice(0, 80)).toBe(400)
    }))
})

describe('a delivery', () => {
  const deliver = (body: string, length = Buffer.byteLength(body)) =>
    length > 2_000_000
      ? sendLarge(`/api/webhooks/${receiver.id}`, { authorization: receiver.authorization })
      : statusOf(`${all.server.url}/api/webhooks/${receiver.id}`, {
          method: 'POST',
          headers: { authorization: receiver.authorization, 'content-type': 'application/json' },
          body,
        })

  test.each([
    ['the names of a prototype', 200, ofPrototype],
    [
      'them as its type and status',
      200,
      '{"type":"__proto__","subType":"toString","data":{"status":"constructor"}}',
    ],
    ['a long text', 200, JSON.stringify({ type: longText, subType: longText, uuid: longText })],
    ['arrays as deep as they can be', 200, nestedTo(500_000)],
    ['no JSON', 200, '{'],
    ['31 MB', 413, 'x'.repeat(31_000_000)],
  ])('with %s is answered %i', (_what, status, body) =>
    expectNoError(async () => expect(await deliver(body)).toBe(status)),
  )

  test.each(namesOfPrototype)('to the receiver %s, which there is not, is refused', (name) =>
    expectNoError(async () =>
      expect([400, 401, 404]).toContain(
        await statusOf(`${all.server.url}/api/webhooks/${name}`, {
          method: 'POST',
          headers: { authorization: `API-Key ${crypto.randomUUID()}` },
          body: '{}',
        }),
      ),
    ),
  )
})
