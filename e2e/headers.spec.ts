import net from 'node:net'
import { test as bare, type Page } from '@playwright/test'
import { addresses } from '../test/entries.ts'
import { port, rampartUrl, sandboxPort, sandboxUrl } from './addresses.ts'
import { stateOf } from './people.ts'
import { expect, test } from './test.ts'

/** Every answer carries these headers, for every caller and every request. */
const wanted: [header: string, value: RegExp][] = [
  ['content-security-policy', /frame-ancestors 'none'/],
  ['x-content-type-options', /^nosniff$/],
  ['x-frame-options', /^DENY$/],
  ['referrer-policy', /^same-origin$/],
  ['permissions-policy', /camera=\(\)/],
]

const faultsOf = (headers: Readonly<Record<string, string>>) => [
  ...wanted.flatMap(([name, value]) =>
    value.test(headers[name] ?? '') ? [] : [`${name}: ${headers[name]}`],
  ),
  ...(/unsafe/.test(headers['content-security-policy'] ?? '') ? ['unsafe'] : []),
]

const unknown = '00000000-0000-4000-8000-000000000000'
const paths = new Set(
  Object.values(addresses).flatMap(([, ...some]) => some.map((path) => path.replace(/:\w+/, unknown))),
)

// The headers come before the method matters. Whoever is signed in gets other answers to GET.
for (const [as, methods] of [
  [null, ['GET', 'POST', 'OPTIONS']],
  ['admin@demo.test', ['GET']],
] as const)
  test.describe(as ?? 'signed out', () => {
    test.use({ storageState: as ? stateOf(as) : { cookies: [], origins: [] } })
    // One test covers all addresses, because a test for each would take longer to start than its answers take.
    test('every address carries every header, whatever is asked of it', async ({ request }) => {
      const faults: string[] = []
      for (const path of [...paths, '/nothing-here', '/%', '/icon.svg', '/api/nothing-here'])
        for (const method of path === '/api/live' ? ['POST'] : methods) {
          const answer = await request.fetch(path, { method, maxRedirects: 0, failOnStatusCode: false })
          faults.push(...faultsOf(answer.headers()).map((fault) => `${method} ${path}: ${fault}`))
        }
      expect(faults).toEqual([])
    })
  })

test('a file of the build carries every header', async ({ request }) => {
  const page = await (await request.get('/sign-in')).text()
  const file = /\/_next\/static\/[^"]+\.js/.exec(page)?.[0] ?? ''
  const answer = await request.get(file)
  expect(answer.status()).toBe(200)
  expect(faultsOf(answer.headers())).toEqual([])
})

const mega = `Content-Length: ${1024 * 1024}`

for (const [what, path, length, status] of [
  ['a form of 1 MB', '/sign-in', mega, 413],
  ['a search of 1 MB', '/api/search', mega, 413],
] as const)
  test(`${what} is refused before it is sent, deliveries are answered meanwhile, and both carry every header`, async ({
    request,
  }) => {
    const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Next-Action: ${'0'.repeat(42)}`, length]
    const refused = exchange(port, `${head.join('\r\n')}\r\n\r\n`)
    const delivery = await request.post(`/api/webhooks/${unknown}`, { data: {}, failOnStatusCode: false })
    expect(delivery.status()).toBe(404)
    expect(faultsOf(delivery.headers())).toEqual([])
    const answer = await refused
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(faultsOf(headersOf(answer))).toEqual([])
  })

for (const [name, to] of [
  ['the dashboard', port],
  ['the sandbox', sandboxPort],
] as const)
  for (const [what, text] of [
    ['broken HTTP', 'GARBAGE\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      'an expectation',
      'POST / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    ],
  ] as const)
    test(`what ${name} answers to ${what} carries every header`, async () => {
      expect(faultsOf(headersOf(await exchange(to, text)))).toEqual([])
    })

test('every answer of the sandbox carries every header', async ({ request }) => {
  const documents = ['openapi', 'openapi-3.0', 'openapi-controls', 'openapi-controls-3.0'].map(
    (name) => `/${name}.json`,
  )
  const documented = await Promise.all(
    documents.map(async (path) =>
      Object.keys((await (await request.get(`${sandboxUrl}${path}`)).json()).paths),
    ),
  )
  const theirs = documented.flat().map((path) => path.replaceAll(/\{\w+\}/g, unknown))
  expect(theirs.length).toBeGreaterThan(10)
  for (const path of [
    ...theirs,
    '/',
    '/docs',
    '/mailbox',
    '/nothing-here',
    '/_sandbox/clock',
    ...documents,
  ]) {
    const answer = await request.get(`${sandboxUrl}${path}`, { maxRedirects: 0, failOnStatusCode: false })
    expect(faultsOf(answer.headers()), path).toEqual([])
  }
})

// Chromium reports each blocked script on the console, which the other tests do not allow.
bare('no page runs what does not carry its nonce', async ({ page }) => {
  await page.goto('about:blank')
  expect(await titleAfterInjection(page)).toBe('injected')
  await page.goto(`${rampartUrl}/sign-in`)
  expect(await titleAfterInjection(page)).toContain('Sign in')
})

/** The function inserts a handler and a script into the page's markup, and answers the page's title afterwards. */
const titleAfterInjection = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const image = document.createElement('div')
    image.innerHTML = '<img src="data:," onerror="document.title = `injected`">'
    const frame = document.createElement('iframe')
    frame.srcdoc = '<script>parent.document.title = "injected"</script>'
    document.body.append(image, frame)
    return new Promise((resolve) => setTimeout(() => resolve(document.title), 1_000))
  })

function headersOf(answer: string): Record<string, string> {
  const lines = answer.split('\r\n\r\n')[0]?.split('\r\n').slice(1) ?? []
  return Object.fromEntries(
    lines.map((line) => [line.split(':')[0]?.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
}

function exchange(to: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = net.connect(to, '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
    setTimeout(() => socket.destroy(), 5_000).unref()
  })
}
