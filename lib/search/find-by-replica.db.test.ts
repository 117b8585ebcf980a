import crypto from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pool } from '#lib/platform/db/pool.ts'
import { closeReplica } from '#lib/platform/db/read-pools.ts'
import { callerWith } from '../../test/callers.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { findSubjects } from './find-subjects.ts'

const support = callerWith('support')
const [both, newest] = [crypto.randomUUID(), crypto.randomUUID()]
const hash = `0x${'ab12'.repeat(16)}`

let database: TestDatabase
let replica: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  replica = await createTestDatabase()
  configure({ DATABASE_URL: database.url, DATABASE_READ_URL: replica.url })
  const other = new pg.Client({ connectionString: replica.url })
  await other.connect()
  await addTransaction(pool(), both)
  await addTransaction(pool(), newest)
  await addIdentifier(pool(), newest, newest)
  await addIdentifier(other, both, both)
  // Only this database has the row, which shows that it was asked.
  await addIdentifier(other, both, hash)
  await other.end()
})
afterAll(async () => {
  await closeReplica()
  await pool().end()
  await database.drop()
})

const found = async (text: string) => {
  const { named, rows } = await findSubjects(support, text)
  return [...named, ...rows].map(({ subjectId }) => subjectId.replace('transaction:', ''))
}

test('ids are looked for in the replica, and what is found is read as it stands now', async () => {
  expect(await found(both)).toEqual([both])
  expect(await found(both.slice(0, 13))).toEqual([both])
  expect(await found(hash)).toEqual([both])
})

test('what has not reached the replica yet is found all the same', async () => {
  expect(await found(newest.slice(0, 13))).toEqual([newest])
})

test('searches continue on the primary when the replica does not answer', async () => {
  await replica.drop()
  expect(await found(newest.slice(0, 13))).toEqual([newest])
})

const addTransaction = (client: pg.Pool, uuid: string) =>
  client.query(
    `INSERT INTO transaction (subject_id, uuid, details, flags, started_at, last_move_at)
     VALUES ($1, $2, '{}', '{}', now(), now())`,
    [`transaction:${uuid}`, uuid],
  )

const addIdentifier = (client: pg.Pool | pg.Client, uuid: string, value: string) =>
  client.query('INSERT INTO identifier (subject_id, value, started_at) VALUES ($1, $2, now())', [
    `transaction:${uuid}`,
    value,
  ])
