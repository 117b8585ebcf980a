import fs from 'node:fs'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type NextServer, startServer } from '../test/next-server.ts'
import { createTestDatabase, type TestDatabase } from '../test/postgres.ts'

// Proxies change the address of a form, before the server as it is in production.

const publicUrl = 'https://dash.example.com:8443'
let database: TestDatabase
let server: NextServer

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url, { PUBLIC_URL: publicUrl, NEXTAUTH_URL: publicUrl })
})
afterAll(async () => {
  await server.stop()
  await database.drop()
})

const ManifestSchema = z.object({ node: z.record(z.string(), z.object({ exportedName: z.string() })) })

function actionId(name: string): string {
  const { node } = ManifestSchema.parse(
    JSON.parse(fs.readFileSync('.next/server/server-reference-manifest.json', 'utf8')),
  )
  const [id] = Object.entries(node).find(([, one]) => one.exportedName === name) ?? []
  if (id === undefined) throw new Error(`The build has no action ${name}`)
  return id
}

/** A form that is passed on to another page, of somebody who is not signed in. `fetch` would not let the host be chosen. */
async function submit(
  headers: Record<string, string>,
): Promise<{ status: number | undefined; said: string }> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request(`${server.url}/sign-in`, {
      method: 'POST',
      headers: {
        'next-action': actionId('reopenGapAction'),
        'content-type': 'text/plain;charset=UTF-8',
        'content-length': '4',
        'x-forwarded-for': '203.0.113.7',
        ...headers,
      },
    })
    request.on('response', resolve).on('error', reject)
    request.end('[{}]')
  })
  return { status: answer.statusCode, said: await text(answer) }
}

test.each<[string, Record<string, string>]>([
  ['nginx with $http_host', { host: 'dash.example.com:8443' }],
  ['nginx with $host, which drops the port', { host: 'dash.example.com' }],
  ['a proxy that gives the name of its upstream', { host: 'rampart:3000' }],
  [
    'one that forwards the host without its port',
    { host: 'rampart', 'x-forwarded-host': 'dash.example.com' },
  ],
  [
    'two, each of which adds its own',
    { host: 'rampart', 'x-forwarded-host': 'edge.example, dash.example.com:8443' },
  ],
  [
    'two, the other way round',
    { host: 'rampart', 'x-forwarded-host': 'dash.example.com:8443, edge.example' },
  ],
  ['one that forwards something else', { host: 'dash.example.com:8443', 'x-forwarded-host': '10.0.0.5' }],
  ['nginx as it is documented', { host: 'dash.example.com:8443', 'x-forwarded-proto': 'https' }],
  ['two with TLS', { host: 'rampart', 'x-forwarded-proto': 'https, http', 'x-forwarded-port': '443' }],
])('a form of our own pages is answered behind %s', async (_which, headers) => {
  const { status, said } = await submit({ origin: publicUrl, ...headers })
  expect(status).toBe(200)
  expect(said).toContain('"kind":"signed-out"')
})

test.each<[string, Record<string, string>]>([
  ['another site', { origin: 'https://evil.example', host: 'dash.example.com:8443' }],
  ['another port', { origin: 'https://dash.example.com', host: 'dash.example.com:8443' }],
  ['a site that names itself as the host', { origin: 'https://evil.example', host: 'evil.example' }],
  [
    'a site that forwards itself',
    { origin: 'https://evil.example', host: 'x', 'x-forwarded-host': 'evil.example' },
  ],
])('a form of %s is refused', async (_which, headers) => {
  const { said } = await submit(headers)
  expect(said).not.toContain('"kind":"signed-out"')
  expect(said).not.toContain('"kind":"done"')
})
