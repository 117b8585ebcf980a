import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { inTransaction, mayHaveTakenEffect, OutcomeUnknown } from '#lib/platform/db/in-transaction.ts'
import { openPool, outlastFailOver } from '#lib/platform/db/pool.ts'
import { callerWith } from '../../../test/callers.ts'
import { startCuttingWire } from '../../../test/cutting-wire.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts'
import { configure } from '../../../test/service.ts'
import { runAction } from './action.ts'

let database: TestDatabase
let direct: pg.Pool
let wire: Awaited<ReturnType<typeof startCuttingWire>>
let through: pg.Pool
/** The connection breaks at this statement; `passedOn` says if the database still gets it. */
let cutAt: { readonly text: string; readonly passedOn: boolean } | null

beforeAll(async () => {
  database = await createTestDatabase()
  direct = openPool(database.url)
  await direct.query('CREATE TABLE done (n int, UNIQUE (n) DEFERRABLE INITIALLY DEFERRED)')
  wire = await startCuttingWire(database.url, (sent) =>
    cutAt === null || !sent.includes(cutAt.text) ? 'none' : cutAt.passedOn ? 'after' : 'before',
  )
  configure({ DATABASE_URL: database.url, PUBLIC_URL: 'https://dash.example' })
  through = openPool(wire.url, 1)
})
afterAll(async () => {
  await through.end()
  wire.stop()
  await direct.end()
  await database.drop()
})
beforeEach(async () => {
  cutAt = null
  await direct.query('DELETE FROM done')
})

const insert = () => inTransaction(through, (tx) => tx.query('INSERT INTO done VALUES (1)'))
const count = async () => (await direct.query('SELECT n FROM done')).rowCount

/** The wrapper of every action gives this result for a form without fields. */
const act = (perform: () => Promise<unknown>) =>
  runAction(
    [z.object({}), 'manage-endpoints', perform],
    {
      headers: new Headers({ origin: 'https://dash.example' }),
      caller: callerWith('admin'),
      settingUp: null,
      lastCallerId: null,
      input: {},
      language: 'en',
      onDenied: async () => undefined,
    },
    {},
  )

const unsure = {
  kind: 'refused',
  title: 'This may have taken effect.',
  next: expect.stringContaining('Look whether it was done'),
}

test.each([
  ['after the database had committed', true, 1],
  ['before the database heard of it', false, 0],
])(
  'a connection cut at COMMIT, %s, leaves an action whose outcome is unknown',
  async (_when, passedOn, rows) => {
    cutAt = { text: 'COMMIT', passedOn }
    await expect(insert()).rejects.toThrow(OutcomeUnknown)
    expect(await act(insert)).toMatchObject(unsure)
    await expect.poll(count).toBe(rows)
    cutAt = null
    expect(await act(() => through.query('SELECT 1'))).toMatchObject({ kind: 'done' })
  },
)

test('so does one that is cut during a statement that commits by itself', async () => {
  cutAt = { text: 'INSERT INTO done', passedOn: true }
  expect(await act(() => through.query('INSERT INTO done VALUES (2)'))).toMatchObject(unsure)
  await expect.poll(count).toBe(1)
})

test('one that is cut before COMMIT surely did nothing, and fails as any other error', async () => {
  cutAt = { text: 'INSERT INTO done', passedOn: true }
  const failed = insert()
  await expect(failed).rejects.toSatisfy((error) => !mayHaveTakenEffect(error))
  await expect(act(insert)).rejects.toThrow()
  expect(await count()).toBe(0)
})

test('what the database refuses at COMMIT surely did nothing', async () => {
  await direct.query('INSERT INTO done VALUES (1)')
  const failed = insert()
  await expect(failed).rejects.toMatchObject({ code: '23505' })
  await expect(failed).rejects.toSatisfy((error) => !mayHaveTakenEffect(error))
})

test('one that is lost before the action began is replaced, and the action is done', async () => {
  const patient = outlastFailOver(openPool(wire.url, 1))
  await patient.query('SELECT 1')
  // The connection is not trusted any more without a question.
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  cutAt = { text: 'transaction_read_only', passedOn: false }
  const added = () => inTransaction(patient, (tx) => tx.query('INSERT INTO done VALUES (4)'))
  expect(await act(added)).toMatchObject({ kind: 'done' })
  expect(await count()).toBe(1)
  await patient.end()
})

test('a transaction in which a statement failed unheard is not answered as done', async () => {
  const work = inTransaction(through, async (tx) => {
    await tx.query('INSERT INTO done VALUES (3)')
    await tx.query('SELECT 1 / 0').catch(() => undefined)
  })
  await expect(work).rejects.toThrow('A statement of this transaction failed')
  expect(await count()).toBe(0)
})

test('a server process that is ended while it commits may have committed', async () => {
  await direct.query('CREATE TABLE waits (n int)')
  await direct.query(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NULL; END'`)
  await direct.query(`
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION wait()`)
  const acted = act(() => inTransaction(through, (tx) => tx.query('INSERT INTO waits VALUES (1)')))
  const terminate = async () =>
    (
      await direct.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'COMMIT' AND wait_event = 'PgSleep'`,
      )
    ).rowCount
  await expect.poll(terminate).toBe(1)
  expect(await acted).toMatchObject(unsure)
})
