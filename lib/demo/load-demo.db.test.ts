import crypto from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { prisma } from '#lib/db/prisma.ts'
import { env } from '#lib/env.ts'
import { type Projector, startProjector } from '#lib/projector/projector.ts'
import { ensureAdmins } from '#lib/team/ensure-admins.ts'
import { startService, type TestService } from '../../test/service.ts'
import { loadDemo } from './load-demo.ts'

const owner = crypto.randomUUID()
let service: TestService
let projector: Projector
beforeAll(async () => {
  service = await startService()
  // Nobody listens there: what the demo sends by HTTP waits for the sandbox's retries.
  vi.stubEnv('PUBLIC_URL', 'http://localhost:1')
  vi.stubEnv('RAMPART_ADMINS', owner)
  projector = await startProjector({ url: env().databaseUrl })
})
afterAll(async () => {
  await projector.stop()
  await service.stop()
})

it('fills a database that holds nobody but RAMPART_ADMINS, once', async () => {
  await ensureAdmins()
  expect(await loadDemo()).toBe(true)
  const members = await prisma().member.findMany({ select: { userUuid: true, role: true } })
  expect(members.filter(({ role }) => role === 'admin')).toHaveLength(2)
  expect(members).toContainEqual({ userUuid: owner, role: 'admin' })
  expect(await prisma().transaction.count()).toBeGreaterThan(400)
  expect(await prisma().deliveryPending.count()).toBe(0)
  expect(await loadDemo()).toBe(false)
})
