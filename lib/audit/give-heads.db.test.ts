import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { type Listener, openListener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import { env } from '#lib/env.ts'
import { noCallSource } from '#lib/request/request-context.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { captureLog } from '../../test/log.ts'
import { startGivingHeads } from './give-heads.ts'
import { recordAuditAlone } from './record-audit.ts'

let database: TestConfiguration
let listener: Listener
let logged: ReturnType<typeof captureLog>

beforeAll(async () => {
  database = await startDatabase()
  listener = openListener(env().databaseDirectUrl)
  logged = captureLog()
})
beforeEach(async () => {
  await pool().query('TRUNCATE audit, audit_link')
  logged.lines.length = 0
})
afterAll(async () => {
  logged.stop()
  await listener.close()
  await database.stop()
})

const anHour = 3_600_000
const LineSchema = z.object({ head: z.object({ position: z.string() }) })
const given = () => logged.lines.map((line) => LineSchema.parse(line).head.position)
const add = () => recordAuditAlone({ actor: null, action: 'gap.close', outcome: 'done' }, noCallSource)

it('an entry has the head given, without waiting for the next look', async () => {
  const heads = await startGivingHeads(pool(), listener, { soon: 1, every: anHour, again: anHour })
  // Again and again, since the listener may still be connecting.
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
