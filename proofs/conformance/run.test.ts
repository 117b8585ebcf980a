import { once } from 'node:events'
import http from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { reachesUs } from './run.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** The service answers creating, listing and deleting endpoints like this. It notes which ids it was asked to delete. */
async function startService(status: number, body: unknown, listed: unknown[] = []) {
  const deleted: string[] = []
  const server = http.createServer((request, response) => {
    if (request.method === 'DELETE') deleted.push(request.url?.split('/').at(-1) ?? '')
    const answers = { POST: [status, body], GET: [200, listed], DELETE: [204, undefined] } as const
    const [answered, said] = answers[request.method as keyof typeof answers]
    response.writeHead(answered, { 'Content-Type': 'application/json' }).end(JSON.stringify(said))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : ''
  return { deleted, baseUrl: `http://127.0.0.1:${port}/onboarding`, apiKey: 'key' }
}

const uuid = '0b6f9a52-7c1e-4d38-9a47-5e2f8c3d1b60'
const probe = { uuid, url: 'http://127.0.0.1:9/hook', status: 'active', description: 'Conformance, probing' }

it.each([
  ['is whole', 201, { ...probe, signing_secret: 's' }],
  ['lacks its secret', 201, probe],
  ['lacks all but its uuid', 200, { uuid }],
])(
  'a receiver is reached, and the probe removed, where the created endpoint %s',
  async (_how, status, body) => {
    const service = await startService(status, body)
    expect(await reachesUs(service)).toBe(true)
    expect(service.deleted).toEqual([uuid])
  },
)

it('a probe whose answer names no uuid is found in the list, and nothing else is removed', async () => {
  const other = { ...probe, uuid: crypto.randomUUID(), description: 'Ledger' }
  const service = await startService(201, {}, [other, probe])
  expect(await reachesUs(service)).toBe(true)
  expect(service.deleted).toEqual([uuid])
})

it('a receiver is not reached where the endpoint is refused', async () => {
  const service = await startService(400, { message: 'url: must be an https address' })
  expect(await reachesUs(service)).toBe(false)
  expect(service.deleted).toEqual([])
})
