import { fork } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { changeRole, removeMember } from '#lib/identity/members/change-members.ts'
import { openSession } from '#lib/identity/sessions/open-session.ts'
import { endOwnSession } from '#lib/identity/sessions/person-sessions.ts'
import { endSession, readSession } from '#lib/identity/sessions/read-session.ts'
import { emailKey } from '#lib/identity/users/person-texts.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed, Refused, SignInAgain } from '#lib/platform/refusals.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { auditAbout } from '../../../test/audit-reason.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { addUserToService, startService, type TestService } from '../../../test/service.ts'
import { beginErasure } from '../erasure/erase-user.ts'
import { checkImport, mostPeople } from './check-import.ts'
import { readFileLines } from './judge-line.ts'
import {
  allowImportExport,
  exportImport,
  findImport,
  listImports,
  resumeImports,
  startImport,
  stopImport,
} from './list-imports.ts'
import { runImport } from './run-import.ts'

const admin = callerWith('admin')
const browser = newBrowser()
let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const reason = 'a test wants it'
const quick = { pace: 0, second: 5 }

async function* chunks(text: string, size = 7_777) {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

const check = async (text: string, caller = admin, most?: number) =>
  (await checkImport(caller, { name: 'people.csv', content: chunks(text) }, browser, most)).importId

/** The import is as its start leaves it, and no process runs it. */
const begin = (importId: string) =>
  pool().query(`UPDATE user_import SET state = 'running' WHERE id = $1`, [importId])

const run = async (importId: string) => {
  await begin(importId)
  await runImport(pool(), serviceClient(), importId, quick)
  await pool().query('DELETE FROM lease WHERE name = $1', [`import:${importId}`])
}

const address = () => `${crypto.randomUUID()}@demo.test`
const aPerson = (email = address()) => `${email},Ana,Lima,ES,`

const knownUser = () => addUserToService(service, { email: address() })

const heading = 'user_uuid,email,first_name,last_name,country,customer_number'
const asked = (route: string) => service.seen.filter((seen) => seen === route).length
const personOf = async (userUuid: string) =>
  (await pool().query('SELECT email, customer_number, source FROM person WHERE user_uuid = $1', [userUuid]))
    .rows[0]

it('keeps the name of a file with a sign that PostgreSQL takes not', async () => {
  const content = chunks(`${heading}\n,${aPerson()}`)
  const { importId } = await checkImport(admin, { name: 'a\0b.csv', content }, browser)
  const { rows } = await pool().query('SELECT file_name FROM user_import WHERE id = $1', [importId])
  expect(rows).toEqual([{ file_name: 'a\ufffdb.csv' }])
})

it('says before the start whose number it would replace, and which numbers it gives twice', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, knownUser))
  const numbers = [`N-${users[0]}`, `N-${users[1]}`, null, `N-${users[3]}`]
  for (const [nth, user] of users.entries())
    await pool().query(
      `INSERT INTO person (user_uuid, customer_number, customer_number_key, source) VALUES ($1, $2, lower($2), 'test')`,
      [user, numbers[nth]],
    )
  const [same, other, first, silent] = users
  const lines = [`${same},,,,,N-${same}`, `${other},,,,,TWICE`, `${first},,,,,TWICE`, `${silent},,,,,`]
  const id = await check([heading, ...lines, `,${aPerson()}ONCE`, `${silent},,,,,TWICE`].join('\n'))
  expect(await findImport(admin, id)).toMatchObject({
    broken: 1,
    numbers: { replaced: 1, repeated: ['TWICE'] },
  })
  await run(id)
  expect((await findImport(admin, id))?.numbers).toBeNull()
  expect(await personOf(silent ?? '')).toMatchObject({ customer_number: `N-${silent}` })
})

it('accepts a cell with the signs that spreadsheets and pages add', async () => {
  const [known, other] = [await knownUser(), await knownUser()]
  const email = address()
  const id = await check(
    [
      `\u200b${heading.replace('email', 'Ｅ\u2011mail')}`,
      `${known.slice(0, 9)}\u200b${known.slice(9)},,,,,KD\u20114711\u00ad`,
      `ID${other.replaceAll('-', '\u2013')},,,,,`,
      `,${email.replace('@', '＠\u2060')},\u202aAna\u202c,Li\u200bma,e\u200bs,`,
    ].join('\n'),
  )
  expect(await findImport(admin, id)).toMatchObject({ total: 3, broken: 0, created: 1 })
  const { rows } = await pool().query(
    `SELECT user_uuid, email, first_name || ' ' || last_name AS name, country, customer_number
     FROM user_import_row WHERE import_id = $1 ORDER BY line`,
    [id],
  )
  expect(rows).toEqual([
    { user_uuid: known, email: null, name: null, country: null, customer_number: 'KD-4711' },
    { user_uuid: other, email: null, name: null, country: null, customer_number: null },
    { user_uuid: null, email, name: 'Ana Lima', country: 'ES', customer_number: null },
  ])
})

it('checks the whole file before anything is sent, and names each broken line', async () => {
  const [known, erased] = [await knownUser(), crypto.randomUUID()]
  const [twice, gone] = [address(), address()]
  await pool().query(`INSERT INTO person (user_uuid, email, email_key, source) VALUES ($1, $2, $2, 'test')`, [
    erased,
    gone,
  ])
  await inTransaction(pool(), (tx) => beginErasure(tx, erased))
  const before = service.seen.length
  const id = await check(
    [
      `\ufeff${heading},note`,
      `${known.toUpperCase()},,,,,KD-1,x`,
      `,${twice},Ana,Lima,es,KD-2,`,
      '',
      'no-uuid,,,,,',
      ',not an address,Ana,Lima,ES,',
      `,${address()},,Lima,ES,`,
      `,${address()},Ana,Lima,XX,`,
      `,${twice},Ana,Lima,ES,`,
      `,"${address()},Ana,Lima,ES,`,
      `${erased},,,,,`,
      `,${gone.toUpperCase()},Ana,Lima,ES,`,
      `${known},,,,,`,
    ].join('\r\n'),
  )
  const found = await findImport(admin, id)
  expect(found).toMatchObject({ state: 'checked', total: 11, broken: 9, created: 1, done: 0 })
  expect(found?.problems.map(({ line, error }) => [line, error])).toEqual([
    [5, 'User uuid: this is not a uuid.'],
    [6, expect.stringContaining('E-mail: ')],
    [7, 'First name: Enter a name.'],
    [8, 'Country: the provider does not support XX.'],
    [9, 'The same person is in line 3 already.'],
    [10, 'A quotation mark is not closed in this line.'],
    [11, 'This person was erased here and is not taken back.'],
    [12, 'This person was erased here and is not taken back.'],
    [13, 'The same person is in line 2 already.'],
  ])
  expect(service.seen.slice(before).filter((route) => !route.startsWith('GET /supported'))).toEqual([])
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({ state: 'done', done: 2, failed: 0 })
  expect((await listImports(admin))[0]).toMatchObject({ id, state: 'done', done: 2, failed: 0 })
  expect(await personOf(known)).toMatchObject({ customer_number: 'KD-1', source: 'import' })
  expect((await pool().query('SELECT customer_number FROM person WHERE email = $1', [twice])).rows).toEqual([
    { customer_number: 'KD-2' },
  ])
  // The data of a line about a person is deleted.
  const { rows } = await pool().query(
    'SELECT row_to_json(r)::text AS row FROM user_import_row r WHERE import_id = $1',
    [id],
  )
  expect(JSON.stringify(rows)).not.toContain('Lima')
})

it('reads a heading over several lines, below the line that names the separator', async () => {
  const lines = [
    'sep=;',
    '"E-\r\nmail";"Given',
    '',
    'name";"Family name";"Country\ncode"',
    `${address()};Ana;Lima;ES`,
  ]
  const id = await check(lines.join('\r\n'))
  expect(await findImport(admin, id)).toMatchObject({ total: 1, broken: 0, created: 1 })
})

it('knows a mailbox by any spelling of its host, and another case before the @ as another mailbox', async () => {
  const [local, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const stored = [`${local}@Demo.TEST`, `${local}@münchen.test`]
  for (const email of stored)
    await pool().query(
      `INSERT INTO person (user_uuid, email, email_key, source) VALUES (gen_random_uuid(), $1, $2, 'test')`,
      [email, emailKey(email)],
    )
  const given = [
    `${local}@demo.test`,
    `${local}@DEMO.test`,
    `${local}@xn--mnchen-3ya.test`,
    `${local.toUpperCase()}@demo.test`,
    `${other}@xn--mnchen-3ya.test`,
    `${other}@MÜNCHEN.test`,
  ]
  const id = await check([heading, ...given.map((email) => `,${aPerson(email)}`)].join('\n'))
  const known = 'The directory has somebody with this e-mail address already.'
  const found = await findImport(admin, id)
  expect(found?.problems.map(({ line, error }) => [line, error])).toEqual([
    [2, known],
    [3, 'The same person is in line 2 already.'],
    [4, known],
    [7, 'The same person is in line 6 already.'],
  ])
})

it.each([
  ['', 'There is nobody'],
  [heading, 'There is nobody'],
  [`,,,\n${heading}\n,,,`, 'There is nobody'],
  ['name,number\nAna,1', 'names no known column'],
  ['email,pr\ufffdnom\nana@demo.test,Ana', 'is not UTF-8'],
  ['id,e-mail\n1,ana@demo.test', 'lacks columns of new people: first_name, last_name, country'],
])('refuses %j', async (text, title) => {
  await expect(check(text)).rejects.toThrow(new RegExp(title))
})

it.each([64 * 1024, 1_000, 70_000])(
  'refuses a line without an end as it grows, in pieces of %i bytes, and reads no further',
  async (size) => {
    let read = 0
    async function* endless() {
      yield Buffer.from(`${heading}\n`)
      for (;;) {
        read += size
        yield Buffer.alloc(size, 'a')
      }
    }
    const checked = checkImport(admin, { name: 'x', content: endless() }, browser)
    await expect(checked).rejects.toThrow('longer than 64 KB')
    expect(read).toBeLessThanOrEqual(64 * 1024 + size)
  },
)

it('reads the same lines from chunks of any size', async () => {
  const text = `a\r\nb\nc\rd\r\r\n\n${'é€😀'.repeat(5_000)}\r\ne\r`
  const whole = await Array.fromAsync(readFileLines(chunks(text, text.length * 4)))
  expect(whole.map(({ number, text: line }) => [number, line.slice(0, 3)])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
    [7, 'é€\ud83d'],
    [8, 'e'],
  ])
  for (const size of [1, 2, 3, 7, 4_096])
    expect(await Array.fromAsync(readFileLines(chunks(text, size)))).toEqual(whole)
})

it('is only for admins, and leaves nothing of an interrupted upload', async () => {
  await expect(check(heading, callerWith('support'))).rejects.toThrow(NotAllowed)
  const count = async () => (await pool().query('SELECT count(*) FROM user_import_row')).rows
  const before = await count()
  async function* broken() {
    yield Buffer.from(`${heading}\n${aPerson()}\n`)
    throw new Error('the browser went away')
  }
  await expect(checkImport(admin, { name: 'x', content: broken() }, browser)).rejects.toThrow('went away')
  expect(await count()).toEqual(before)
})

it('accepts a file of as many people as there may be, with broken ones in the middle, and refuses one more', async () => {
  expect(mostPeople).toBe(100_000)
  // One statement inserts 2,000 people, and an export reads 1,000 at once.
  const most = 5_000
  const lines = Array.from({ length: most }, (_, i) =>
    i >= 2_500 && i < 2_600 ? 'broken,"line' : `${crypto.randomUUID()},,,,,N-${i}`,
  )
  const id = await check([heading, ...lines].join('\n'), admin, most)
  expect(await findImport(admin, id)).toMatchObject({ total: most, broken: 100, created: 0 })
  expect((await findImport(admin, id))?.problems.at(0)?.line).toBe(2_502)
  const longer = check([heading, ...lines, crypto.randomUUID()].join('\n'), admin, most)
  await expect(longer).rejects.toThrow(Refused)
  let count = 0
  await expect(exportImport(admin, id, '')).rejects.toThrow(NotAllowed)
  const { ticket } = await allowImportExport(admin, { importId: id, reason: 'asked for' }, browser)
  const results = (await exportImport(admin, id, ticket)) ?? []
  for await (const text of results) count += text.split('\r\n').length - 1
  expect(count).toBe(most + 1)
  expect((await auditAbout(id)).filter(({ action }) => action === 'user.import-export')).toMatchObject([
    { actor: admin.id, reason: 'asked for' },
  ])
})

it('waits when the service answers 429 or 503 in the middle, and loses nobody', async () => {
  const users = [await knownUser(), await knownUser(), await knownUser()]
  const id = await check([heading, ...users.map((uuid) => `${uuid},,,,,`), `,${aPerson()}`].join('\n'))
  service.answerWith(429, (route) => route === 'GET /user', 3)
  service.answerWith(503, (route) => route === 'GET /user', 2)
  service.answerWith(429, (route) => route === 'POST /user', 1)
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({ state: 'done', done: 4, failed: 0 })
  for (const user of users) expect(await personOf(user)).toMatchObject({ source: 'import' })
})

it('stops when the service fails again and again or refuses the key, and goes on from there', async () => {
  const user = await knownUser()
  const id = await check(`${heading}\n${user},,,,,`)
  service.answerWith(503, (route) => route === 'GET /user', 10)
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({
    state: 'failing',
    why: expect.stringContaining('failed'),
    done: 0,
  })
  service.answerWith(401, () => true, 2)
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({
    state: 'failing',
    why: expect.stringContaining('API key'),
  })
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({ state: 'done', done: 1, why: null })
})

it('lists refused people, and people of whom nobody knows whether they were created', async () => {
  const taken = address()
  const nobody = crypto.randomUUID()
  const lines = [`${nobody},,,,,`, `,${aPerson(taken)}`, `,${aPerson()}`]
  await addUserToService(service, { email: taken })
  const id = await check([heading, ...lines].join('\n'))
  service.loseAnswer((route) => route === 'POST /user' && asked('POST /user') % 2 >= 0, 0)
  await run(id)
  expect((await findImport(admin, id))?.problems).toMatchObject([
    { line: 2, state: 'failed', error: 'The provider knows nobody by this uuid.' },
    { line: 3, state: 'failed', error: expect.stringContaining('has somebody with this e-mail') },
  ])
  const lost = await check(`${heading}\n,${aPerson()}`)
  service.loseAnswer((route) => route === 'POST /user')
  await run(lost)
  expect(await findImport(admin, lost)).toMatchObject({
    state: 'done',
    failed: 1,
    problems: [{ state: 'unsure' }],
  })
})

it('goes on after a crash: nobody is created twice, and possibly created people are named', async () => {
  const id = await check([heading, `,${aPerson()}`, `,${aPerson()}`, `,${aPerson()}`].join('\n'))
  await pool().query(`UPDATE user_import_row SET state = 'sending' WHERE import_id = $1 AND line = 3`, [id])
  const interrupted = [{ line: 3, state: 'unsure', error: expect.stringContaining('interrupted') }]
  expect(await findImport(admin, id)).toMatchObject({ state: 'checked', problems: interrupted })
  const before = asked('POST /user')
  await run(id)
  expect(asked('POST /user')).toBe(before + 2)
  expect(await findImport(admin, id)).toMatchObject({
    state: 'done',
    done: 2,
    problems: interrupted,
  })
})

it('goes on after a kill in the middle of a file with broken lines, beside a service that answers 429', async () => {
  const lines = Array.from({ length: 120 }, (_, i) => (i >= 50 && i < 60 ? 'broken,"line' : `,${aPerson()}`))
  const id = await check([heading, ...lines].join('\n'))
  await begin(id)
  const before = asked('POST /user')
  const taken = async () => (await findImport(admin, id))?.done ?? 0
  const runner = fork(path.join(import.meta.dirname, '../../../test/import-process.ts'), [id], {
    execArgv: ['--import', './bin/hooks.mjs'],
  })
  const killed = once(runner, 'exit')
  await expect.poll(taken, { interval: 5, timeout: 20_000 }).toBeGreaterThan(20)
  service.answerWith(429, (route) => route === 'POST /user', 3)
  await expect.poll(taken, { interval: 5, timeout: 20_000 }).toBeGreaterThan(40)
  // The process dies when the service has created somebody and before its answer arrives.
  service.loseAnswer(
    (route) => route === 'POST /user',
    1,
    () => runner.kill('SIGKILL'),
  )
  await killed
  // The lease of the dead process lasts for half a minute.
  await runImport(pool(), serviceClient(), id, quick)
  expect(await taken()).toBeLessThan(110)
  await pool().query('UPDATE lease SET expires_at = now() WHERE name = $1', [`import:${id}`])
  service.answerWith(429, (route) => route === 'POST /user', 3)
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({
    state: 'done',
    total: 120,
    broken: 10,
    done: 109,
    failed: 1,
    problems: expect.arrayContaining([expect.objectContaining({ state: 'unsure' })]),
  })
  // Each person was asked for once, except for the six that were refused.
  expect(asked('POST /user') - before).toBe(110 + 6)
})

it('goes on by itself after a restart, but waits for an admin when no process ran it for longer: it may be a backup', async () => {
  const users = await Promise.all(Array.from({ length: 2 }, knownUser))
  const [restarted, forgotten] = await Promise.all(users.map((uuid) => check(`${heading}\n${uuid},,,,,`)))
  for (const [id, minutes] of [
    [restarted, 14],
    [forgotten, 16],
  ] as const) {
    await begin(id ?? '')
    await pool().query(
      `UPDATE user_import SET last_progress_at = now() - $2 * interval '1 minute' WHERE id = $1`,
      [id, minutes],
    )
  }
  await resumeImports(pool())
  await expect.poll(async () => (await findImport(admin, restarted ?? ''))?.state).toBe('done')
  expect(await findImport(admin, forgotten ?? '')).toMatchObject({
    state: 'stopped',
    done: 0,
    why: expect.stringMatching(/^Nobody ran it for a while, or it comes from a backup/),
  })
  await startImport(admin, { importId: forgotten ?? '', reason }, browser)
  await expect.poll(async () => (await findImport(admin, forgotten ?? ''))?.state).toBe('done')
})

it('only an admin starts and stops it, and it runs once at a time', async () => {
  const users = await Promise.all(Array.from({ length: 60 }, knownUser))
  const id = await check([heading, ...users.map((uuid) => `${uuid},,,,,`)].join('\n'))
  await expect(startImport(callerWith('support'), { importId: id, reason }, browser)).rejects.toThrow(
    NotAllowed,
  )
  const before = asked('GET /user')
  await startImport(admin, { importId: id, reason }, browser)
  await expect(startImport(admin, { importId: id, reason }, browser)).rejects.toThrow(Refused)
  await expect.poll(async () => (await findImport(admin, id))?.done, { interval: 10 }).toBeGreaterThan(0)
  await runImport(pool(), serviceClient(), id, quick)
  await stopImport(admin, { importId: id }, browser)
  await expect(stopImport(admin, { importId: id }, browser)).rejects.toThrow(Refused)
  await new Promise((resolve) => setTimeout(resolve, 200))
  const stopped = await findImport(admin, id)
  expect(stopped?.state).toBe('stopped')
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({ state: 'done', done: 60 })
  // The runner that was stopped may have asked for one user and not used the answer.
  expect(asked('GET /user') - before).toBeLessThanOrEqual(61)
  const actions = await pool().query('SELECT action, outcome FROM audit WHERE target = $1 ORDER BY id', [id])
  expect(actions.rows.map(({ action }) => action)).toEqual([
    'user.import-check',
    'user.import',
    'user.import-stop',
    'user.import',
  ])
})

/** The admin has a session and is a member. */
async function signInAdmin() {
  const caller = callerWith('admin', { userUuid: null, memberId: crypto.randomUUID() })
  await pool().query(`INSERT INTO member (id, name, role) VALUES ($1, 'Kim', 'admin')`, [caller.memberId])
  const signedIn = { ...caller, serviceSessionId: null, method: 'passkey' } as const
  const token = await inTransaction(pool(), (tx) => openSession(tx, signedIn, browser, new Date()))
  const session = await readSession(token, new Date())
  if (!session) throw new Error('The session does not stand')
  return { token, session }
}

it.each<readonly [string, (id: string, token: string) => Promise<unknown>]>([
  ['is stopped', (importId) => stopImport(admin, { importId }, browser)],
  ['ends with the session of its admin', (_id, token) => endSession(token, 'signed-out', browser)],
])('keeps the person whom the service creates while it %s', async (_what, end) => {
  const [made, next] = [address(), address()]
  const id = await check([heading, `,${aPerson(made)}`, `,${aPerson(next)}`].join('\n'))
  const { token, session } = await signInAdmin()
  service.delayAnswer(
    (route) => route === 'POST /user',
    () => end(id, token),
  )
  await startImport(session, { importId: id, reason }, browser)
  await expect.poll(async () => (await findImport(admin, id))?.done).toBe(1)
  expect(await findImport(admin, id)).toMatchObject({ state: 'stopped', failed: 0, problems: [] })
  const lines = await pool().query(
    'SELECT line, state, person.email FROM user_import_row LEFT JOIN person USING (user_uuid) WHERE import_id = $1 ORDER BY line',
    [id],
  )
  expect(lines.rows).toEqual([
    { line: 2, state: 'done', email: made },
    { line: 3, state: 'waiting', email: null },
  ])
})

it('takes a line again that the service refused for now while it was stopped', async () => {
  const id = await check(`${heading}\n,${aPerson()}`)
  service.answerWith(429, (route) => route === 'POST /user', 1, 500)
  const before = asked('POST /user')
  await startImport(admin, { importId: id, reason }, browser)
  await expect.poll(() => asked('POST /user'), { interval: 10 }).toBe(before + 1)
  await stopImport(admin, { importId: id }, browser)
  const line = () => pool().query('SELECT state FROM user_import_row WHERE import_id = $1', [id])
  await expect.poll(async () => (await line()).rows).toEqual([{ state: 'waiting' }])
  // The first runner still waits as the service asked.
  await pool().query('DELETE FROM lease WHERE name = $1', [`import:${id}`])
  await run(id)
  expect(await findImport(admin, id)).toMatchObject({ state: 'done', done: 1, failed: 0 })
})

let many: Promise<readonly string[]> | undefined

/** The import of this admin has taken its first lines. */
async function importing() {
  many ??= Promise.all(Array.from({ length: 200 }, knownUser))
  const users = await many
  const id = await check([heading, ...users.map((uuid) => `${uuid},,,,,`)].join('\n'))
  const { token, session } = await signInAdmin()
  await startImport(session, { importId: id, reason }, browser)
  const done = async () => (await findImport(admin, id))?.done ?? 0
  await expect.poll(done, { interval: 5 }).toBeGreaterThan(0)
  return { id, token, session, done }
}

const stateOf = async (id: string) => (await findImport(admin, id))?.state

type Importing = Awaited<ReturnType<typeof importing>>
const otherAdmin = async () => {
  const caller = callerWith('admin')
  await pool().query(`INSERT INTO member (id, name, role) VALUES ($1, 'Lee', 'admin')`, [caller.memberId])
  return caller
}
const memberOf = ({ session }: Importing) => session.memberId ?? ''

it.each<readonly [string, (running: Importing) => Promise<unknown>]>([
  ['signs out', ({ token }) => endSession(token, 'signed-out', browser)],
  [
    'ends it from elsewhere',
    ({ session }) => endOwnSession(session, { sessionId: session.sessionId }, browser),
  ],
  [
    'is removed from the team',
    async (running) => removeMember(await otherAdmin(), { memberId: memberOf(running), reason }, browser),
  ],
  [
    'loses the role',
    async (running) =>
      changeRole(await otherAdmin(), { memberId: memberOf(running), role: 'support', reason }, browser),
  ],
  [
    'signs in anew and is removed in the new session',
    async (running) => {
      await endSession(running.token, 'replaced', browser)
      expect(await stateOf(running.id)).toBe('running')
      await removeMember(await otherAdmin(), { memberId: memberOf(running), reason }, browser)
    },
  ],
])('stops when the admin who began it %s, and another may go on with it', async (_what, end) => {
  const running = await importing()
  await end(running)
  expect(await stateOf(running.id)).toBe('stopped')
  // The line under way may still be recorded.
  await new Promise((resolve) => setTimeout(resolve, 200))
  const left = await running.done()
  expect(left).toBeLessThan(200)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await running.done()).toBe(left)
  await startImport(admin, { importId: running.id, reason: 'the other half' }, browser)
  await stopImport(admin, { importId: running.id }, browser)
})

it('does not begin under a session that has ended; the audit and all admins get its reason', async () => {
  const { id, token, session } = await importing()
  expect(await auditAbout(id)).toContainEqual(
    expect.objectContaining({ action: 'user.import', outcome: 'begun', reason }),
  )
  const { rows } = await pool().query('SELECT kind, facts FROM admin_notice WHERE about = $1', [id])
  expect(rows).toEqual([{ kind: 'import-started', facts: { people: '200' } }])
  await endSession(token, 'signed-out', browser)
  await expect(startImport(session, { importId: id, reason }, browser)).rejects.toThrow(SignInAgain)
})
