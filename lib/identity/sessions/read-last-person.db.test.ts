import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { saveToDirectory } from '../users/directory.ts'
import { openSession } from './open-session.ts'
import { endSession } from './read-session.ts'
import { readLastPerson } from './session-state.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())

async function signIn() {
  const userUuid = crypto.randomUUID()
  const email = `${userUuid}@demo.test`
  const person = {
    userUuid,
    email,
    firstName: 'Ana',
    lastName: 'Lima',
    targetAddress: null,
    country: null,
    status: null,
  }
  const who = { userUuid, memberId: null, method: 'code', serviceSessionId: 's', role: 'end-user' } as const
  const token = await inTransaction(pool(), async (tx) => {
    await saveToDirectory(tx, person, 'sign-in', null)
    return openSession(tx, who, newBrowser(), new Date())
  })
  return { email, token }
}

const inAYear = new Date(Date.now() + 365 * 24 * 3_600_000)

it('knows who is signed in', async () => {
  const { email, token } = await signIn()
  expect(await readLastPerson(token, new Date())).toEqual({
    state: 'signed-in',
    isOver: false,
    email,
    name: 'Ana Lima',
  })
})

it('knows whose session has run out, as far as the address to sign in with', async () => {
  const { email, token } = await signIn()
  expect(await readLastPerson(token, inAYear)).toEqual({ state: 'ended', isOver: false, email, name: null })
})

it('names nobody once somebody has ended the session', async () => {
  const { token } = await signIn()
  await endSession(token, 'signed-out', newBrowser())
  expect(await readLastPerson(token, new Date())).toEqual({
    state: 'ended',
    isOver: true,
    email: null,
    name: null,
  })
})

it('knows a session that another sign-in has replaced as one to come back to', async () => {
  const { token } = await signIn()
  await endSession(token, 'replaced', newBrowser())
  expect(await readLastPerson(token, new Date())).toMatchObject({ state: 'ended', isOver: false })
})

it('knows nothing of a token that opened no session', async () => {
  expect(await readLastPerson('x'.repeat(40), new Date())).toBeNull()
})
