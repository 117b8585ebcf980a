import { afterEach, expect, it } from 'vitest'
import type { CheckedAddress, Resolve } from '#lib/platform/addresses/public-address.ts'
import { type Certified, makeAuthority, trustedAuthority } from '../../../test/certificates.ts'
import {
  breakOff,
  drip,
  flood,
  hang,
  json,
  type LoopbackService,
  raw,
  reset,
  startLoopbackService,
} from '../../../test/loopback-service.ts'
import { postDelivery, type Target } from './run-replay.ts'

const receivers: LoopbackService[] = []
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.stop()
})

async function start({
  certified,
  ...given
}: Partial<Target> & { host?: string; certified?: Certified } = {}) {
  const receiver = await startLoopbackService(certified)
  receiver.answers(json(200, {}))
  const url = new URL(receiver.baseUrl)
  if (given.host) url.hostname = given.host
  receivers.push(receiver)
  const target: Target = { url, secret: 'whsec-given', loopback: true, ...given }
  return { receiver, target, post: (body = '{}') => postDelivery(target, Buffer.from(body)) }
}

const machine: CheckedAddress = { address: '127.0.0.1', family: 4 }

it('posts the body byte for byte with the headers of §5.5', async () => {
  const { post, receiver } = await start()
  const body = '{ "amountFiat": 1.10, "é": "\\u0000", "same": 1, "same": 2 }\n'
  await expect(post(body)).resolves.toMatchObject({ status: 200, error: null })
  expect(receiver.seen).toMatchObject([
    {
      method: 'POST',
      body,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'API-Key whsec-given',
        'content-length': String(Buffer.byteLength(body)),
      },
    },
  ])
})

it('accepts any 2xx, and reports any other answer', async () => {
  const { post, receiver } = await start()
  receiver.answers(raw(204, ''), json(401, {}), json(503, {}), json(400, {}))
  const results = []
  for (let n = 0; n < 4; n++) results.push(await post())
  expect(results.map(({ status, error }) => [status, error])).toEqual([
    [204, null],
    [401, 'Refused: the secret is not the one that is expected there'],
    [503, 'The receiver failed'],
    [400, 'The receiver did not take it'],
  ])
})

it('does not follow a redirect, so that the secret goes nowhere else', async () => {
  const { post, receiver } = await start()
  const other = await start()
  receiver.answers(json(307, {}, { location: other.receiver.baseUrl }))
  await expect(post()).resolves.toMatchObject({
    status: 307,
    error: 'Answered with a redirect, which is not followed',
  })
  expect(other.receiver.seen).toEqual([])
})

it('gives up on a receiver that never answers', async () => {
  const { post, receiver } = await start({ timeoutMs: 300 })
  receiver.answers(hang)
  await expect(post()).resolves.toMatchObject({ status: null, error: 'No answer in time' })
})

it('reports a receiver that cuts the connection', async () => {
  const { post, receiver } = await start()
  receiver.answers(reset)
  await expect(post()).resolves.toMatchObject({ status: null, error: 'The connection was cut' })
})

it.each([
  ['sends the rest of its answer byte by byte', drip],
  ['breaks off in the middle of its answer', breakOff],
])('takes the status of a receiver that %s', async (_name, answer) => {
  const { post, receiver } = await start({ timeoutMs: 300 })
  receiver.answers(answer(200), answer(503))
  await expect(post()).resolves.toMatchObject({ status: 200, error: null })
  await expect(post()).resolves.toMatchObject({ status: 503, error: 'The receiver failed' })
})

it('gives up on a host name that does not resolve in time', async () => {
  const { post, receiver } = await start({
    host: 'receiver.example',
    resolve: () => new Promise(() => {}),
    timeoutMs: 300,
  })
  await expect(post()).resolves.toMatchObject({ status: null, error: 'No answer in time' })
  expect(receiver.seen).toEqual([])
})

it('cuts the connection when it is stopped', async () => {
  const { target, receiver } = await start()
  const cut = Promise.withResolvers<void>()
  receiver.answers((response) => void response.once('close', cut.resolve))
  const stopped = new AbortController()
  const posted = postDelivery(target, Buffer.from('{}'), stopped.signal)
  await expect.poll(() => receiver.seen.length).toBe(1)
  stopped.abort()
  await expect(posted).resolves.toMatchObject({ status: null })
  await cut.promise
})

it('reads no more of an endless answer than it needs', async () => {
  const { post, receiver } = await start({ timeoutMs: 5_000 })
  receiver.answers(flood(200))
  await expect(post()).resolves.toMatchObject({ status: 200, error: null })
})

it('reports a refused connection', async () => {
  const { post, receiver } = await start()
  await receiver.stop()
  await expect(post()).resolves.toMatchObject({
    error: 'Nobody listens at this address',
  })
})

it('connects to the checked address, even if the name resolves elsewhere a moment later', async () => {
  let asked = 0
  const resolve: Resolve = async () => {
    asked++
    return [machine]
  }
  const { post, receiver } = await start({ host: 'receiver.example', resolve })
  await expect(post()).resolves.toMatchObject({ status: 200 })
  expect(asked).toBe(1)
  expect(receiver.seen[0]?.headers.host).toMatch(/^receiver\.example:\d+$/)
})

it('refuses a name that leads outside first and inside later', async () => {
  const inside: CheckedAddress = { address: '10.0.0.1', family: 4 }
  const answers = [machine, inside]
  const resolve: Resolve = async () => [answers.shift() ?? inside]
  const { post, receiver } = await start({ host: 'receiver.example', resolve })
  await expect(post()).resolves.toMatchObject({ status: 200 })
  await expect(post()).resolves.toMatchObject({
    status: null,
    error: 'Not sent: the address leads to an internal network',
  })
  expect(receiver.seen).toHaveLength(1)
})

it('does not reach this machine unless the target allows it', async () => {
  const { post, receiver } = await start({ loopback: false })
  await expect(post()).resolves.toMatchObject({
    error: 'Not sent: the address leads to an internal network',
  })
  expect(receiver.seen).toEqual([])
})

const host = 'receiver.example'
const yesterday = new Date(Date.now() - 86_400_000)

/** The receiver uses HTTPS on this machine, under a name that resolves to it. */
const startSecure = (certified: Certified, ...first: readonly CheckedAddress[]) =>
  start({ host, certified, resolve: async () => [...first, machine] })

it('posts over HTTPS when a trusted authority signed the certificate', async () => {
  const authority = trustedAuthority()
  const { post, receiver } = await startSecure(authority.certify(host))
  await expect(post('{"a":1}')).resolves.toMatchObject({ status: 200, error: null })
  expect(receiver.seen).toMatchObject([
    { body: '{"a":1}', headers: { authorization: 'API-Key whsec-given' } },
  ])
})

it('posts over HTTPS to the address that accepts, past those that do not', async () => {
  const dead: CheckedAddress[] = [
    { address: '::1', family: 6 },
    { address: '127.0.0.2', family: 4 },
  ]
  const { post, receiver } = await startSecure(trustedAuthority().certify(host), ...dead)
  await expect(post('{"a":1}')).resolves.toMatchObject({ status: 200, error: null })
  expect(receiver.seen).toMatchObject([{ body: '{"a":1}' }])
})

it.each([
  [
    'that nobody vouches for',
    () => makeAuthority().certify(host),
    'nobody trusted here vouches for its certificate',
  ],
  [
    'for another host',
    () => trustedAuthority().certify('other.example'),
    'its certificate is for another host',
  ],
  ['that has expired', () => trustedAuthority().certify(host, yesterday), 'its certificate has expired'],
])('sends nothing to a receiver with a certificate %s', async (_, certify, words) => {
  const { post, receiver } = await startSecure(certify())
  await expect(post()).resolves.toMatchObject({ status: null, error: `Not sent: ${words}` })
  expect(receiver.seen).toEqual([])
})

it('sends nothing to a receiver without HTTPS under an HTTPS address', async () => {
  const { receiver } = await start()
  const url = new URL(receiver.baseUrl.replace('http:', 'https:'))
  const result = await postDelivery({ url, secret: 'whsec-given', loopback: true }, Buffer.from('{}'))
  expect(result).toMatchObject({ status: null, error: 'Not sent: it does not speak HTTPS as it should' })
  expect(receiver.seen).toEqual([])
})
