import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput, NotAllowed } from '#lib/platform/refusals.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { AuditFiltersSchema, listAudit, resolveFilters } from './list-audit.ts'
import { commandLine, recordAuditAlone } from './record-audit.ts'

const auditor = callerWith('auditor')
const [memberId, userUuid] = [uuidv7(), crypto.randomUUID()]
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO member (id, user_uuid, name, role) VALUES ($1, $2, 'Steady Admin', 'admin')`,
    [memberId, userUuid],
  )
  await pool().query(
    `INSERT INTO member (id, name, role) SELECT gen_random_uuid(), 'Twin', 'support' FROM generate_series(1, 2)`,
  )
  const entry = { action: 'access.denied', target: '/endpoints', outcome: 'refused' } as const
  for (const id of [memberId, userUuid])
    await recordAuditAlone({ ...entry, actor: { id, role: 'admin' } }, newBrowser())
  await recordAuditAlone({ ...entry, actor: commandLine }, newBrowser())
})
afterAll(() => database.stop())

it.each(['ana@demo.test', 'Ana García', 'DE89 3704 0044 0532 0130 00', 'KD-4711'])(
  'gives no address what may be somebody’s: %s',
  async (text) => {
    await expect(resolveFilters(auditor, { who: text })).rejects.toThrow(InvalidInput)
    await expect(resolveFilters(auditor, { about: text })).rejects.toThrow(InvalidInput)
  },
)

it('names a member by the id, which finds what was done under either id', async () => {
  const named = await resolveFilters(auditor, { who: 'steady admin', action: 'access.' })
  expect(named).toEqual({ who: memberId, action: 'access.' })
  for (const who of [memberId, userUuid])
    expect((await listAudit(auditor, { who })).rows.map(({ actor }) => actor?.id)).toEqual([
      userUuid,
      memberId,
    ])
  await expect(resolveFilters(auditor, { who: 'Twin' })).rejects.toThrow(InvalidInput)
})

it.each([
  ['O’Brien', ['O’Brien', "o'brien", 'O‘BRIEN']],
  ['Anne–Marie', ['Anne–Marie', 'anne-marie', 'Anne\u2011Marie']],
  ['Ana\u00a0María', ['Ana\u00a0María', 'ana maría', ' Ana  María ']],
  ['Jose\u0301', ['Jose\u0301', 'José', 'JOSÉ']],
  ['Ｋｉｍ %41', ['Ｋｉｍ %41', 'Kim %41']],
])('finds the member %s as the page writes the name, and as people type it', async (name, typed) => {
  const id = uuidv7()
  await pool().query(`INSERT INTO member (id, name, role) VALUES ($1, $2, 'support')`, [id, name])
  const entry = { action: 'access.denied', target: '/team', outcome: 'refused' } as const
  await recordAuditAlone({ ...entry, actor: { id, role: 'support' } }, newBrowser())
  for (const who of typed) {
    const read = AuditFiltersSchema.parse({ who })
    expect(await resolveFilters(auditor, read), who).toEqual({ who: id })
    expect((await listAudit(auditor, read)).rows, who).toMatchObject([{ actor: { id, name } }])
  }
})

it('keeps ids, and what the audit itself names', async () => {
  const about = crypto.randomUUID()
  for (const text of [
    about.toUpperCase(),
    `${about.slice(0, 9)}\u200b${about.slice(9)}`,
    about.replaceAll('-', '\u2011'),
    `User ID${about}`,
    `%7B${about}%7D`,
  ])
    expect(await resolveFilters(auditor, { about: text, who: text }), text).toEqual({ about, who: about })
  const named = { who: 'command line', about: '/endpoints' }
  expect(await resolveFilters(auditor, named)).toEqual(named)
  expect(
    await resolveFilters(auditor, { who: 'command\u200b line', about: '\u202a/endpoints\u202c' }),
  ).toEqual(named)
  await expect(resolveFilters(callerWith('support'), {})).rejects.toThrow(NotAllowed)
})
