import crypto from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Role } from '#lib/access/rules/roles.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { openSession } from './open-session.ts'
import { readSession, touchSession } from './read-session.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase({
    STAFF_IDLE_MINUTES: '7',
    STAFF_SESSION_MINUTES: '90',
    USER_IDLE_MINUTES: '11',
    USER_SESSION_MINUTES: '150',
  })
})
afterAll(() => database.stop())

const inMinutes = (count: number) => new Date(Date.now() + count * 60_000)

async function signIn(role: Role): Promise<string> {
  const userUuid = crypto.randomUUID()
  if (role !== 'end-user')
    await prisma().member.create({ data: { id: uuidv7(), userUuid, name: 'Kim', role } })
  const who = { userUuid, memberId: null, method: 'code', serviceSessionId: null, role } as const
  return inTransaction(pool(), (tx) => openSession(tx, who, newBrowser(), new Date()))
}

it.each([
  ['end-user', 11, 150],
  ['support', 7, 90],
  ['admin', 7, 90],
] as const)(
  'a session of %s ends after the %i minutes without use that were set, and after %i at the latest',
  async (role, idle, longest) => {
    const token = await signIn(role)
    expect(await readSession(token, inMinutes(idle - 1))).not.toBeNull()
    expect(await readSession(token, inMinutes(idle + 1))).toBeNull()
    // Use extends the session by the same time, but not beyond its latest end.
    await pool().query(`UPDATE session SET last_seen_at = now() - interval '5 minutes'`)
    const caller = await readSession(token, new Date())
    if (!caller) throw new Error('nobody is signed in')
    const until = await touchSession(caller)
    expect(Math.abs(until - inMinutes(idle).getTime())).toBeLessThan(30_000)
    await pool().query('UPDATE session SET last_seen_at = $1, idle_expires_at = $1', [
      inMinutes(longest + 60),
    ])
    expect(await readSession(token, inMinutes(longest - 1))).not.toBeNull()
    expect(await readSession(token, inMinutes(longest + 1))).toBeNull()
  },
)
