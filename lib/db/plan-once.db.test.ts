import net from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { planByIndex } from './plan-by-index.ts'
import { planOnce } from './plan-once.ts'
import { openPool, pool } from './pool.ts'

let database: TestDatabase
let pooler: net.Server

beforeAll(async () => {
  database = await createTestDatabase()
  pooler = await startPooler(Number(new URL(database.url).port))
})
afterAll(async () => {
  pooler.close()
  await database.drop()
})

const TWICE = planOnce('SELECT 2 * $1::int AS twice')
const KEPT = 'SELECT name, statement AS text FROM pg_prepared_statements'

test.each([
  ['of pages', () => pool()],
  ["that are prepared further, as a projector's", () => openPool(database.url, 1, undefined, planByIndex)],
])('connections %s keep a planned statement', async (_which, open) => {
  configure({ DATABASE_URL: database.url })
  const opened = open()
  const client = await opened.connect()
  for (const n of [1, 2])
    expect((await client.query({ ...TWICE, values: [n] })).rows).toEqual([{ twice: 2 * n }])
  expect((await client.query(KEPT)).rows).toEqual([TWICE])
  client.release()
  await opened.end()
})

test('behind a pooler nothing is kept, since the next statement may come to another server process', async () => {
  const through = new URL(database.url)
  const address = pooler.address()
  through.port = String(typeof address === 'object' && address ? address.port : 0)
  const pooled = openPool(through.href, 1)
  for (const n of [1, 2])
    expect((await pooled.query({ ...TWICE, values: [n] })).rows).toEqual([{ twice: 2 * n }])
  expect((await pooled.query(KEPT)).rows).toEqual([])
  await pooled.end()
})

/** Passes everything on but for the key of a connection, which it makes up, as poolers do: `K`, its length of 12, process, secret. */
async function startPooler(target: number): Promise<net.Server> {
  const head = Buffer.from([75, 0, 0, 0, 12])
  const server = net.createServer((near) => {
    const far = net.connect(target, '127.0.0.1')
    near.pipe(far)
    far.on('data', (chunk) => {
      const key = chunk.indexOf(head)
      if (key >= 0) chunk.writeInt32BE(1, key + head.length)
      near.write(chunk)
    })
    far.on('close', () => near.destroy())
    for (const socket of [near, far]) socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
