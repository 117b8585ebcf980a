import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bin/temporary-postgres.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { openListener } from './listen.ts'
import { openPool, outlastFailOver } from './pool.ts'
import { queryByIndex } from './read-pools.ts'

/** The former primary stays up and takes no writes. Connections to it stand while the address leads to the other one. */
let former: TemporaryPostgres
let promoted: TemporaryPostgres
let proxy: Awaited<ReturnType<typeof startSilentProxy>>
let url: string

const portOf = (server: TemporaryPostgres) => Number(new URL(server.url('postgres')).port)

beforeAll(async () => {
  former = await startTemporaryPostgres('former')
  promoted = await startTemporaryPostgres('promoted')
  proxy = await startSilentProxy(portOf(former))
  const address = new URL(await former.create('moved'))
  await promoted.create('moved')
  address.port = String(proxy.port)
  url = address.href
})
beforeEach(async () => {
  await fence('RESET default_transaction_read_only')
  proxy.leadTo(portOf(former))
})
afterAll(async () => {
  proxy.stop()
  await Promise.all([former.stop(), promoted.stop()])
})

/** The setting applies to open connections too. */
async function fence(how: string) {
  const admin = new pg.Client({ connectionString: former.url('postgres') })
  await admin.connect()
  await admin.query(`ALTER SYSTEM ${how}`)
  await admin.query('SELECT pg_reload_conf()')
  const isOn = how.startsWith('SET') ? 'on' : 'off'
  const setting = async () => (await admin.query('SHOW default_transaction_read_only')).rows[0]
  await expect.poll(setting).toEqual({ default_transaction_read_only: isOn })
  await admin.end()
}

const PORT = `SELECT current_setting('port')::int AS port, pg_sleep(0.1)`
const reads: Readonly<Record<string, (opened: pg.Pool) => Promise<pg.QueryResult<{ port: number }>>>> = {
  'by index': (opened) => queryByIndex(opened, PORT),
  'as a page': (opened) => opened.query(PORT),
}

test.each(
  Object.entries(reads).flatMap(([how, read]) => [
    { how, read, when: 'made before it was fenced' },
    { how, read, when: 'made while it was' },
  ]),
)(
  'connections to a former primary that were $when still read $how, and soon where the address leads',
  async ({ read, when }) => {
    const opened = outlastFailOver(openPool(url, 3))
    const ports = async () =>
      (await Promise.all([1, 2, 3].map(() => read(opened)))).map(({ rows }) => rows[0]?.port)
    if (when === 'made before it was fenced') await ports()
    await fence('SET default_transaction_read_only = on')
    // People read on for as long as nothing else is there.
    for (const until = performance.now() + 2_500; performance.now() < until; )
      expect(await ports()).toEqual([portOf(former), portOf(former), portOf(former)])
    proxy.leadTo(portOf(promoted))
    await expect.poll(ports).toEqual([portOf(promoted), portOf(promoted), portOf(promoted)])
    await opened.end()
  },
)

test('a listener of a former primary soon hears the notifications of the promoted one', async () => {
  const received: string[] = []
  const listener = openListener(url, { every: 200, answer: 2_000 })
  let listening = 0
  listener.onListening(() => {
    listening += 1
  })
  listener.subscribe('moved', (payload) => received.push(payload))
  await expect.poll(() => listening).toBe(1)
  await fence('SET default_transaction_read_only = on')
  proxy.leadTo(portOf(promoted))
  const other = new pg.Client({ connectionString: promoted.url('moved') })
  await other.connect()
  const notify = async () => {
    await other.query(`NOTIFY moved, 'heard'`)
    return received
  }
  await expect.poll(notify).toContain('heard')
  await other.end()
  await listener.close()
})
