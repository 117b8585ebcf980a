import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import { openSession } from '#lib/identity/sessions/open-session.ts'
import { readSession, touchSession } from '#lib/identity/sessions/read-session.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { SignInAgain } from '#lib/platform/refusals.ts'
import { callerWith } from '../../test/callers.ts'
import { browser, createElsewhere, createHere, elsewhere, reason } from '../../test/endpoints.ts'
import { startService, type TestService } from '../../test/service.ts'
import { changeEndpoint, setStatus } from './change-endpoint.ts'
import { repairEndpoint } from './repair-endpoint.ts'
import { deleteEndpoint, finishReplacement, replaceEndpoint } from './replace-endpoint.ts'
import { confirmSecret, rotateSecret } from './rotate-secret.ts'

/**
 * A command that sends data elsewhere, shows or ends a secret, or stops deliveries needs a sign-in of the last 15
 * minutes (decision 0043).
 */

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const signedInAgo = (seconds: number) =>
  callerWith('admin', { signedInAt: new Date(Date.now() - seconds * 1000).toISOString() })
const fresh = signedInAgo(14 * 60)
const stale = signedInAgo(15 * 60 + 1)

const here = async (caller = fresh) => (await createHere({ caller })).endpointUuid
const there = async (caller = fresh) =>
  (await createElsewhere({ caller, subscribedEvents: null })).endpointUuid

const beginToReplace = async () =>
  (await replaceEndpoint(fresh, { endpointUuid: await there(), url: elsewhere(), reason }, browser))
    .endpointUuid

const to =
  (form: { to: 'here' } | { to: 'elsewhere'; url: string }) => (caller: Caller, endpointUuid: string) =>
    changeEndpoint(caller, { ...form, endpointUuid, reason, subscribedEvents: null }, browser)
const toStatus = (status: 'active' | 'disabled') => (caller: Caller, endpointUuid: string) =>
  setStatus(caller, { endpointUuid, status, reason }, browser)

interface Deed {
  readonly begin: () => Promise<string>
  readonly perform: (caller: Caller, endpointUuid: string) => Promise<unknown>
}

const sensitive: Record<string, Deed> = {
  deleting: {
    begin: () => here(),
    perform: (caller, endpointUuid) => deleteEndpoint(caller, { endpointUuid, reason }, browser),
  },
  'rotating here': {
    begin: () => here(),
    perform: (caller, endpointUuid) => rotateSecret(caller, { endpointUuid, reason }, browser),
  },
  'rotating elsewhere': {
    begin: () => there(),
    perform: (caller, endpointUuid) => rotateSecret(caller, { endpointUuid, reason }, browser),
  },
  repairing: {
    begin: () => here(),
    perform: (caller, endpointUuid) => repairEndpoint(caller, { endpointUuid, reason }, browser),
  },
  'finishing to replace': {
    begin: beginToReplace,
    perform: (caller, endpointUuid) => finishReplacement(caller, { endpointUuid, reason }, browser),
  },
  'pointing here': { begin: () => there(), perform: to({ to: 'here' }) },
  'pointing elsewhere': { begin: () => here(), perform: to({ to: 'elsewhere', url: elsewhere() }) },
  disabling: { begin: () => here(), perform: toStatus('disabled') },
  activating: { begin: () => here(), perform: toStatus('active') },
  'creating here': { begin: async () => '', perform: here },
  'creating elsewhere': { begin: async () => '', perform: there },
  'beginning to replace': {
    begin: () => there(),
    perform: (caller, endpointUuid) =>
      replaceEndpoint(caller, { endpointUuid, url: elsewhere(), reason }, browser),
  },
}

const harmless: Record<string, Deed> = {
  'confirming a secret': {
    begin: () => there(),
    perform: (caller, endpointUuid) => confirmSecret(caller, { endpointUuid }, browser),
  },
}

/** A change of an endpoint could touch all of this, here and at the service. */
const everything = async () => ({
  atService: await service.control('/endpoints'),
  receivers: await prisma().receiver.findMany({ orderBy: { id: 'asc' } }),
  handoffs: await prisma().secretHandoff.findMany({ orderBy: { id: 'asc' } }),
  audit: await prisma().audit.findMany({ orderBy: { id: 'asc' } }),
  notices: await prisma().adminNotice.findMany({ orderBy: { id: 'asc' } }),
})

describe.each(Object.entries(sensitive))('%s', (_name, { begin, perform }) => {
  it('changes nothing until the person has signed in again; then all admins are notified', async () => {
    const endpointUuid = await begin()
    const before = await everything()
    const asked = service.seen.length
    await expect(perform(stale, endpointUuid)).rejects.toThrow(SignInAgain)
    expect(service.seen.length).toBe(asked)
    expect(await everything()).toEqual(before)
    await perform(fresh, endpointUuid)
    expect(await everything()).not.toEqual(before)
    expect(await prisma().adminNotice.count()).toBe(before.notices.length + 1)
  })
})

it.each(Object.entries(harmless))('%s needs no fresh sign-in', async (_name, { begin, perform }) => {
  await expect(perform(stale, await begin())).resolves.toBeDefined()
})

it('the session of an admin who signed in 16 minutes ago sends nothing elsewhere, even when it was just used', async () => {
  const memberId = uuidv7()
  await prisma().member.create({ data: { id: memberId, name: 'Kim', role: 'admin' } })
  const provedAt = new Date(Date.now() - 16 * 60_000)
  const admin = {
    memberId,
    userUuid: null,
    method: 'passkey',
    serviceSessionId: null,
    role: 'admin',
  } as const
  const token = await inTransaction(pool(), (tx) =>
    openSession(tx, { ...admin, provedAt }, browser, provedAt),
  )
  const caller = async () => {
    const found = await readSession(token, new Date())
    if (!found) throw new Error('nobody is signed in')
    return found
  }
  await touchSession(await caller())
  const before = await everything()
  await expect(there(await caller())).rejects.toThrow(SignInAgain)
  expect(await everything()).toEqual(before)
  await prisma().session.updateMany({ where: { memberId }, data: { signedInAt: new Date() } })
  await expect(there(await caller())).resolves.toBeDefined()
})
