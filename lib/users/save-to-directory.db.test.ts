import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { prisma } from '#lib/db/prisma.ts'
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts'
import { configure } from '../../test/service.ts'
import { findUserByEmail } from './find-user-by-email.ts'
import { type KnownUser, saveToDirectory } from './save-to-directory.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  configure({ DATABASE_URL: database.url })
})
afterAll(async () => {
  await prisma().$disconnect()
  await database.drop()
})

const join = (user: KnownUser, source: 'sign-up' | 'sign-in') =>
  inTransaction(pool(), (tx) => saveToDirectory(tx, user, source))

const nothing = {
  email: null,
  targetAddress: null,
  firstName: null,
  lastName: null,
  country: null,
  status: null,
}

it('keeps what it knew when the service leaves something out', async () => {
  const userUuid = crypto.randomUUID()
  await join({ ...nothing, userUuid, email: 'Ana@Demo.Test', firstName: 'Ana' }, 'sign-up')
  await join({ ...nothing, userUuid, status: 'FULL_USER' }, 'sign-in')
  expect(await prisma().person.findUnique({ where: { userUuid } })).toMatchObject({
    email: 'Ana@Demo.Test',
    firstName: 'Ana',
    status: 'FULL_USER',
    source: 'sign-up',
  })
  expect(await findUserByEmail(' ana@demo.test ')).toEqual({ userUuid })
})

it('assigns an e-mail address to the user for whom the service named it last', async () => {
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const email = 'moved@demo.test'
  await join({ ...nothing, userUuid: one, email }, 'sign-in')
  await join({ ...nothing, userUuid: other, email }, 'sign-in')
  expect(await findUserByEmail(email)).toEqual({ userUuid: other })
  expect(await prisma().person.findUnique({ where: { userUuid: one } })).toMatchObject({ email })
})

it('holds two people whose addresses differ in case only, and finds each by the exact spelling', async () => {
  const [upper, lower] = [crypto.randomUUID(), crypto.randomUUID()]
  await join({ ...nothing, userUuid: upper, email: 'Kim@case.test' }, 'sign-in')
  expect(await findUserByEmail('KIM@case.test')).toEqual({ userUuid: upper })
  await join({ ...nothing, userUuid: lower, email: 'kim@case.test' }, 'sign-in')
  expect(await findUserByEmail('Kim@case.test')).toEqual({ userUuid: upper })
  expect(await findUserByEmail('kim@CASE.test')).toEqual({ userUuid: lower })
  expect(await findUserByEmail('KIM@case.test')).toBeNull()
})
