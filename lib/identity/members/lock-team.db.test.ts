import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { prisma } from '#lib/platform/db/prisma.ts'
import { captureLog } from '../../../test/log.ts'
import { addUserToService, startService, type TestService } from '../../../test/service.ts'
import { ensureAdmins } from './lock-team.ts'
import { findMembership } from './membership.ts'

const unknown = crypto.randomUUID()
let known = ''
let service: TestService
beforeAll(async () => {
  service = await startService()
  known = await addUserToService(service, {
    email: 'owner@demo.test',
    first_name: 'Olga',
    last_name: 'Owner',
  })
  vi.stubEnv('RAMPART_ADMINS', `${known.toUpperCase()}, ${unknown}`)
})
afterAll(() => service.stop())

it('makes the users of RAMPART_ADMINS admins, by name when the service knows them, whatever the database says', async () => {
  const logged = captureLog()
  await ensureAdmins()
  expect(logged.lines).toMatchObject([{ level: 'warn', component: 'team', userUuid: unknown }])
  logged.stop()
  expect(await findMembership({ userUuid: known, memberId: null, method: 'code' })).toMatchObject({
    role: 'admin',
    name: 'Olga Owner',
  })
  expect(await findMembership({ userUuid: unknown, memberId: null, method: 'code' })).toMatchObject({
    role: 'admin',
    name: 'Administrator',
  })
  expect(await prisma().person.findUnique({ where: { userUuid: known } })).toMatchObject({
    email: 'owner@demo.test',
  })

  await prisma().member.update({
    where: { userUuid: known },
    data: { role: 'support', removedAt: new Date() },
  })
  expect(await findMembership({ userUuid: known, memberId: null, method: 'code' })).toMatchObject({
    role: 'admin',
  })
  service.answerWith(404, () => true, 2)
  await ensureAdmins()
  expect(await prisma().member.findUnique({ where: { userUuid: known } })).toMatchObject({
    role: 'admin',
    removedAt: null,
  })
})

it('writes down whom it made an admin, once for each time', async () => {
  const entries = await prisma().audit.findMany({ where: { target: known } })
  expect(entries).toMatchObject([made, made])
  const logged = captureLog()
  await ensureAdmins()
  logged.stop()
  expect(await prisma().audit.count({ where: { target: known } })).toBe(2)
})

it('tells all admins whom it made one, once for each time', async () => {
  const reported = (member: string) => ({
    kind: 'member-joined',
    actorName: 'RAMPART_ADMINS',
    facts: { member, role: 'Admin' },
  })
  expect(await prisma().adminNotice.findMany({ orderBy: { id: 'asc' } })).toMatchObject([
    reported('Olga Owner'),
    reported('Administrator'),
    reported('Olga Owner'),
  ])
})

const made = {
  actor: 'command line',
  action: 'member.admin',
  outcome: 'done',
  details: { by: 'RAMPART_ADMINS' },
}

it('leaves everybody else what they are', async () => {
  const nobody = { userUuid: crypto.randomUUID(), memberId: null, method: 'code' } as const
  expect(await findMembership(nobody)).toMatchObject({ memberId: null, role: 'end-user' })
})
