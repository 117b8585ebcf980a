import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { noCallSource } from '#lib/access/caller.ts'
import { type Listener, openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { captureLog } from '../../test/log.ts'
import { readHeads, startGivingHeads } from './heads.ts'
import { recordAuditAlone } from './record-audit.ts'

let database: TestConfiguration
/** The receiver of `AUDIT_HEAD_URL` keeps what was posted here. It gives the listed answers first, then 200. */
const posted: string[] = []
const answers: number[] = []
const webhook = http.createServer(async (request, response) => {
  posted.push(await text(request))
  response.writeHead(answers.shift() ?? 200).end()
})
let listener: Listener
let logged: ReturnType<typeof captureLog>

beforeAll(async () => {
  await once(webhook.listen(0, 'localhost'), 'listening')
  const { port } = webhook.address() as AddressInfo
  database = await startDatabase({ AUDIT_HEAD_URL: `http://localhost:${port}/heads` })
  listener = openListener(env().databaseDirectUrl)
  logged = captureLog()
})
beforeEach(async () => {
  await pool().query('TRUNCATE audit, audit_link')
  logged.lines.length = 0
  posted.length = 0
})
afterAll(async () => {
  logged.stop()
  await listener.close()
  await database.stop()
  webhook.closeAllConnections()
  webhook.close()
})

const anHour = 3_600_000
const LineSchema = z.object({ head: z.object({ position: z.string() }) })
const given = () => logged.lines.map((line) => LineSchema.parse(line).head.position)
const add = () => recordAuditAlone({ actor: null, action: 'gap.close', outcome: 'done' }, noCallSource)

it('an entry has the head given, without waiting for the next look', async () => {
  const heads = await startGivingHeads(pool(), listener, { soon: 1, every: anHour, again: anHour })
  // The test adds entries until one is posted, because the listener may still be connecting.
  await expect.poll(() => add().then(given), { timeout: 20_000 }).not.toEqual([])
  await heads.stop()
})

it('entries that follow each other have one head given, and the end does not wait for it', async () => {
  const heads = await startGivingHeads(pool(), listener, { soon: anHour, every: anHour, again: anHour })
  for (let entries = 0; entries < 5; entries++) await add()
  expect(given()).toEqual([])
  await heads.stop()
  expect(given()).toEqual(['5'])
})

it('no head is signed under a wrong key, which would make it seem forged later', async () => {
  globalThis.rampartKeyAgreement = { writes: null, moves: false }
  await add()
  const heads = await startGivingHeads(pool(), listener, { soon: anHour, every: anHour, again: anHour })
  globalThis.rampartKeyAgreement = undefined
  expect(posted).toEqual([])
  expect(logged.lines).toMatchObject([
    { level: 'warn', message: 'The end of the audit chain was not given away' },
  ])
  logged.lines.length = 0
  await heads.stop()
  expect(given()).toEqual(['1'])
})

it('a head is posted once, after a 500 again, and can be told from one that was changed', async () => {
  answers.push(500)
  await add()
  const heads = await startGivingHeads(pool(), listener, { soon: anHour, every: 20, again: anHour })
  await expect.poll(() => posted.length).toBe(2)
  // Many polls see the same end of the chain.
  await new Promise((resolve) => setTimeout(resolve, 300))
  await heads.stop()
  const { rows } = await pool().query('SELECT position, digest FROM audit_link')
  const { heads: found, ...doubts } = readHeads(env().keys, posted)
  expect(found.map(({ position, digest }) => ({ position, digest }))).toEqual([...rows, ...rows])
  expect(doubts).toEqual({ forged: 0, unchecked: 0 })
  const changed = posted.map((line) => line.replace('"position":"1"', '"position":"2"'))
  expect(readHeads(env().keys, changed)).toEqual({ heads: [], forged: 2, unchecked: 0 })
})
