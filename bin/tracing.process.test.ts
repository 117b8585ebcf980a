import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { openPool } from '#lib/platform/db/pool.ts'
import { addReceiver } from '../test/ingest.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'
import { deliverTo, serveRoles, withoutPages } from '../test/roles.ts'

// A collector of this test takes what real processes send by OTLP.

let database: TestDatabase
let receiver: Awaited<ReturnType<typeof addReceiver>>
beforeAll(async () => {
  database = await createTestDatabase()
  const pool = openPool(database.url)
  receiver = await addReceiver(pool)
  await pool.end()
})
afterAll(() => database.drop())

const AttributesSchema = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) }))
  .transform((list) => new Map(list.map(({ key, value }) => [key, Object.values(value)[0]])))
const SpanSchema = z.object({
  traceId: z.string().length(32),
  spanId: z.string().length(16),
  parentSpanId: z.string().length(16).optional(),
  name: z.string(),
  kind: z.number().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: AttributesSchema,
  status: z.object({ code: z.number() }),
})
const BatchSchema = z.object({
  resourceSpans: z.tuple([
    z.object({
      resource: z.object({ attributes: AttributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(SpanSchema) })),
    }),
  ]),
})

async function startCollector(status = 200) {
  const spans: (z.output<typeof SpanSchema> & { readonly program: unknown })[] = []
  const heads: http.IncomingHttpHeaders[] = []
  const bodies: string[] = []
  const server = http.createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    heads.push(request.headers)
    const { resource, scopeSpans } = BatchSchema.parse(JSON.parse(body)).resourceSpans[0]
    const program = resource.attributes.get('service.instance.id')
    spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, program }))))
    response.writeHead(status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return { url: `http://127.0.0.1:${port}`, spans, heads, bodies, stop: () => server.close() }
}

type Group = Awaited<ReturnType<typeof serveRoles>>

const deliver = (group: Group, headers?: Record<string, string>) => deliverTo(group, receiver, headers)

const fast = { ROLE: withoutPages, OTEL_BSP_SCHEDULE_DELAY: '200' }

it('sends spans of requests and of folding, with their statements, and nothing of a delivery', async () => {
  const collector = await startCollector()
  const group = await serveRoles(database.url, {
    ...fast,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
    OTEL_SERVICE_NAME: 'payments',
  })
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const given = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'x-request-id': 'of-the-proxy-1' }
  expect((await deliver(group, given)).status).toBe(200)
  await fetch(group.url('/healthz'))
  const spanOf = (name: string) => collector.spans.find((span) => span.name === name)
  await expect.poll(() => spanOf('POST /api/webhooks/{id}'), { timeout: 30_000 }).toBeDefined()
  const request = spanOf('POST /api/webhooks/{id}')
  expect(request).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7', kind: 2 })
  expect(request?.attributes.get('http.response.status_code')).toBe('200')
  expect(request?.attributes.get('rampart.request.id')).toBe('of-the-proxy-1')
  expect(request?.program).toMatch(/^server-\d+$/)
  await expect.poll(() => spanOf('fold deliveries'), { timeout: 30_000 }).toBeDefined()
  const fold = spanOf('fold deliveries')
  expect(fold?.program).toMatch(/^projector-\d+$/)
  const statements = collector.spans.filter((span) => span.parentSpanId === fold?.spanId)
  expect(statements.length).toBeGreaterThan(3)
  for (const { kind, attributes } of statements) {
    expect(kind).toBe(3)
    expect(attributes.get('db.system.name')).toBe('postgresql')
  }
  await group.stop()
  collector.stop()
  const all = collector.bodies.join('\n')
  expect(all).toContain('"payments"')
  for (const secret of ['SUCCESS', receiver.id, receiver.authorization]) expect(all).not.toContain(secret)
  expect(collector.spans.map(({ name }) => name)).not.toContain('GET /healthz')
  expect(collector.heads[0]).toMatchObject({ 'x-tenant': 'a b', 'content-type': 'application/json' })
})

it('loses spans and nothing else when the collector refuses them, and says so', async () => {
  const collector = await startCollector(503)
  const group = await serveRoles(database.url, {
    ...fast,
    ROLE: 'receiver',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  for (let n = 0; n < 5; n++) expect((await deliver(group)).status).toBe(200)
  const lines = () =>
    group
      .log('server.log')
      .split('\n')
      .filter((line) => line.includes('did not take spans'))
  await expect.poll(lines, { timeout: 30_000 }).toHaveLength(1)
  await group.stop()
  collector.stop()
})

it('does not start with an address that is none', async () => {
  const started = serveRoles(database.url, {
    ROLE: 'receiver',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  })
  await expect(started).rejects.toThrow('OTEL_EXPORTER_OTLP_ENDPOINT must be a web address')
})
