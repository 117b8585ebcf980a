import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed, SignInAgain, TooMany } from '#lib/platform/refusals.ts'
import { auditReason } from '../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { foldBodies } from '../../test/fold-bodies.ts'
import { textOf } from '../../test/text-of.ts'
import { allowLinesExport, exportLines } from './export-lines.ts'
import { search } from './search.ts'

const [ana, carla] = [crypto.randomUUID(), crypto.randomUUID()]
const uuids = Array.from({ length: 40 }, () => crypto.randomUUID())
const iban = 'PT50000201231234567890154'
const support = callerWith('support')
let database: TestConfiguration

beforeAll(async () => {
  database = await startDatabase()
  await pool().query(
    `INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test'), ($3, $4, $4, 'test')`,
    [ana, 'ana@demo.test', carla, 'carla@demo.test'],
  )
  await pool().query(`INSERT INTO person_term (term, user_uuid) VALUES ('ana@demo.test', $1)`, [ana])
  await foldBodies(
    uuids.map((transactionUuid, n) => ({
      type: 'fiatToCrypto',
      subType: 'PENDING',
      uuid: ana,
      data: {
        transactionUuid,
        amountFiat: n + 1,
        ...(n === 0 ? { senderDetails: { accountDetails: { iban } } } : {}),
      },
    })),
    Date.UTC(2026, 10, 20),
  )
})
afterAll(() => database.stop())

test('forty ids have forty answers, in their order, and each of other lines has its own', async () => {
  const { lines, exact, rows } = await search(support, { text: uuids.join('\n') })
  expect({ exact, rows }).toEqual({ exact: null, rows: [] })
  expect(lines?.map(({ answer, subject }) => [answer, subject?.subjectId])).toEqual(
    uuids.map((uuid) => ['one', `transaction:${uuid}`]),
  )
  const other = crypto.randomUUID()
  const typo = `${uuids[3]?.slice(0, 35)}${uuids[3]?.endsWith('0') ? '1' : '0'}`
  const text = [
    uuids[5],
    other,
    'ana@demo.test',
    'carla@demo.test',
    '5.49 apples',
    '7.00',
    typo,
    uuids[5],
  ].join('\n')
  const mixed = (await search(support, { text })).lines ?? []
  expect(mixed.map(({ answer, count }) => [answer, count])).toEqual([
    ['one', 1],
    ['none', 0],
    ['several', 40],
    ['person', 0],
    ['not-understood', 0],
    ['one', 1],
    ['none', 0],
    ['one', 1],
  ])
  expect(mixed[6]?.near).toMatchObject({ value: uuids[3], slip: { kind: 'wrong', at: 35 } })
  expect(mixed[5]?.why).toMatchObject({ field: 'fiat', text: '7' })
})

test('misspelt e-mails are recognised among few, and with many a line says that nobody looked for them', async () => {
  const read = async (count: number, role: Role = 'support') => {
    const unknown = Array.from({ length: count - 1 }, (_, n) => `nobody-${n}-at-all@elsewhere.test`)
    const text = ['anna@demo.test', ...unknown, 'ana@demo.test', uuids[3]?.replace(/.$/, 'z')].join('\n')
    const spy = vi.spyOn(pool(), 'query')
    const lines = (await search(callerWith(role), { text })).lines ?? []
    const asked = spy.mock.calls.filter(([sql]) => textOf(sql).includes('FROM person_term WHERE term = ANY'))
    spy.mockRestore()
    const [first, , ...rest] = lines
    return {
      near: first?.near?.value ?? null,
      reported: lines.filter(({ nearNotSearched }) => nearNotSearched).length,
      known: rest.at(-2)?.answer,
      asked: asked.length,
    }
  }
  expect(await read(9)).toEqual({ near: 'ana@demo.test', reported: 0, known: 'several', asked: 9 })
  expect(await read(10)).toEqual({ near: null, reported: 10, known: 'several', asked: 0 })
  // A role that sees e-mail addresses masked gets no suggestions.
  expect(await read(10, 'auditor')).toMatchObject({ near: null, reported: 0, asked: 0 })
})

test('each line counts as a search', async () => {
  const caller = callerWith('support')
  const pasted = (n: number) => ({ text: uuids.concat(uuids).join('\n'.repeat(n)) })
  for (let n = 1; n <= 3; n++) await search(caller, pasted(n))
  await expect(search(caller, pasted(4))).rejects.toThrow(TooMany)
  const { rows } = await pool().query('SELECT sum(count)::int AS count FROM audit_counter WHERE actor = $1', [
    caller.id,
  ])
  expect(rows).toEqual([{ count: 240 }])
})

test('through a link of somebody else each line is masked as one’s own role has it', async () => {
  const text = `${iban}\nana@demo.test\n${uuids[1]}`
  const { link } = await search(callerWith('compliance'), { text })
  const found = await search(callerWith('auditor'), { link: link ?? '' })
  expect(found).toMatchObject({ text: `PT•••0154\na•••@demo.test\n${uuids[1]}` })
  expect(JSON.stringify(found)).not.toContain(iban)
  expect(JSON.stringify(found)).not.toContain('ana@')
})

test('the answers leave as a file by a ticket, with a reason, as the role may see them', async () => {
  const { link } = await search(support, { text: `=1+2\n${uuids[0]}\n${crypto.randomUUID()}\n${uuids[1]}` })
  const asked = { link: link ?? '', reason: 'for tickets' }
  const { ticket } = await allowLinesExport(support, asked, newBrowser())
  const file = (await Array.fromAsync((await exportLines(support, asked.link, ticket)) ?? [])).join('')
  const [head, ...lines] = file.split('\r\n')
  expect(head).toMatch(/^line,answer,matches,subject,personUuid,transactionUuid,direction,.*,receipt,payout$/)
  // A transaction that was only created is not paid out.
  expect(lines.map((line) => line.split(',').slice(-2))).toEqual([
    ['', ''],
    ['expected', 'payout pending'],
    ['', ''],
    ['expected', 'payout pending'],
    [''],
  ])
  expect(lines.map((line) => line.split(',').slice(0, 4))).toEqual([
    ["'=1+2", 'not-understood', '0', ''],
    [uuids[0], 'one', '1', `transaction:${uuids[0]}`],
    [expect.any(String), 'none', '0', ''],
    [uuids[1], 'one', '1', `transaction:${uuids[1]}`],
    [''],
  ])
  await expect(exportLines(callerWith('support'), asked.link, ticket)).rejects.toThrow(NotAllowed)
  await expect(allowLinesExport(callerWith('auditor'), asked, newBrowser())).rejects.toThrow(NotAllowed)
  const stale = callerWith('support', { signedInAt: new Date(Date.now() - 16 * 60_000).toISOString() })
  await expect(allowLinesExport(stale, asked, newBrowser())).rejects.toThrow(SignInAgain)
  const { rows } = await pool().query(
    `SELECT action, target, ${auditReason} FROM audit WHERE action = 'search.export'`,
  )
  expect(rows).toEqual([{ action: 'search.export', target: link, reason: 'for tickets' }])
})
