import crypto from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '#lib/access/caller.ts'
import { openRetentionSweeper } from '#lib/operations/retention/sweep.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { readSession, readSetUpSession } from '../sessions/read-session.ts'
import { createSetUpLink } from './access-links.ts'
import { finishSetUp } from './join-team.ts'
import { nameYourself, openLink, readSetUp } from './set-up.ts'

let database: TestConfiguration
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database.stop())
beforeEach(() => pool().query('TRUNCATE member, access_link, session, audit'))

const tokenOf = (link: string | null) => new URL(link ?? 'http://none').hash.slice(1)
const setUpLink = async () => tokenOf(await createSetUpLink(pool(), env().publicUrl))
const open = (token: string) => openLink({ token }, newBrowser())

/** Pages and actions see the person who opened this link like this. */
async function opened(token: string): Promise<Caller> {
  const session = await open(token)
  const caller = await readSetUpSession(session.token, new Date())
  if (!caller) throw new Error('nobody is setting up')
  return caller
}

const finish = async (caller: Caller) =>
  (await inTransaction(pool(), (tx) => finishSetUp(tx, caller, 'passkey', newBrowser()))).token

async function joined(token: string): Promise<Caller | null> {
  const caller = await opened(token)
  await nameYourself(caller, { name: 'Kim' })
  return readSession(await finish(caller), new Date())
}

const refusal = (title: string) => expect.objectContaining({ message: title })

describe('a set-up link', () => {
  it('asks the first admin for an address, which alerts go to', async () => {
    const caller = await opened(await setUpLink())
    await nameYourself(caller, { name: 'Kim', email: 'kim@example.com' })
    expect(await readSetUp(caller)).toMatchObject({ email: 'kim@example.com', asksForEmail: false })
    const admin = await readSession(await finish(caller), new Date())
    expect(admin).toMatchObject({ role: 'admin', email: 'kim@example.com' })
  })

  it('makes the first admin, who says what they are called, once they can sign in', async () => {
    const caller = await opened(await setUpLink())
    expect(await readSetUp(caller)).toEqual({ name: '', email: null, asksForEmail: true, role: 'admin' })
    await expect(finish(caller)).rejects.toEqual(refusal('Say who you are first.'))
    await nameYourself(caller, { name: 'Kim' })
    const admin = await readSession(await finish(caller), new Date())
    expect(admin).toMatchObject({ role: 'admin', name: 'Kim', method: 'passkey', userUuid: null })
    expect(await prisma().audit.findMany({ select: { action: true, outcome: true, actor: true } })).toEqual(
      expect.arrayContaining([
        { action: 'link.create', outcome: 'done', actor: 'command line' },
        { action: 'link.open', outcome: 'done', actor: null },
        { action: 'member.join', outcome: 'done', actor: admin?.memberId },
        { action: 'session.start', outcome: 'done', actor: admin?.memberId },
      ]),
    )
  })

  it('opens a session that is good for setting up and nothing else', async () => {
    const { token, next } = await open(await setUpLink())
    expect(next).toBe('/set-up')
    expect(await readSession(token, new Date())).toBeNull()
    expect(await readSetUpSession(token, new Date())).toMatchObject({ role: 'end-user', method: 'link' })
    expect(await readSetUpSession(token, new Date(Date.now() + 61 * 60_000))).toBeNull()
  })

  it('keeps no more of its token than a digest', async () => {
    const token = await setUpLink()
    const { rows } = await pool().query(`SELECT row_to_json(access_link)::text AS row FROM access_link`)
    expect(rows).toHaveLength(1)
    expect(rows[0].row).not.toContain(token)
    expect(rows[0].row).not.toContain(Buffer.from(token).toString('hex'))
  })

  it('is made as long as there is no admin', async () => {
    expect(await joined(await setUpLink())).toMatchObject({ role: 'admin' })
    expect(await createSetUpLink(pool(), env().publicUrl)).toBeNull()
    await pool().query('UPDATE member SET removed_at = now()')
    expect(await createSetUpLink(pool(), env().publicUrl)).toContain('/set-up#')
  })

  it('opens no more once it was used', async () => {
    const token = await setUpLink()
    await joined(token)
    await expect(open(token)).rejects.toEqual(refusal('This link was used before.'))
    expect(
      await prisma().audit.findFirst({ where: { action: 'link.open', outcome: 'refused' } }),
    ).toMatchObject({
      details: { why: 'used' },
    })
  })

  it('opens no more once it has expired', async () => {
    const token = await setUpLink()
    await pool().query(`UPDATE access_link SET expires_at = now() - interval '1 s'`)
    await expect(open(token)).rejects.toEqual(refusal('This link has expired.'))
  })

  it('says that it was used, not that it expired, when its time has passed since', async () => {
    const token = await setUpLink()
    await joined(token)
    await pool().query(`UPDATE access_link SET expires_at = now() - interval '1 s'`)
    await expect(open(token)).rejects.toEqual(refusal('This link was used before.'))
  })

  it('says that it may have been valid once retention has removed it', async () => {
    const token = await setUpLink()
    await joined(token)
    await pool().query(`UPDATE access_link SET expires_at = now() - interval '91 days'`)
    await openRetentionSweeper(pool()).sweep()
    expect(await prisma().accessLink.count()).toBe(0)
    await expect(open(token)).rejects.toEqual(refusal('This link is not valid.'))
  })

  it('ends with a newer one, and so does whoever has opened it', async () => {
    const first = await setUpLink()
    const session = await open(first)
    const caller = await readSetUpSession(session.token, new Date())
    await setUpLink()
    expect(await readSetUpSession(session.token, new Date())).toBeNull()
    await expect(open(first)).rejects.toEqual(refusal('This link was withdrawn.'))
    if (!caller) throw new Error('nobody was setting up')
    await expect(finish(caller)).rejects.toThrow(Refused)
    await expect(nameYourself(caller, { name: 'Kim' })).rejects.toThrow(Refused)
    expect(await prisma().member.count()).toBe(0)
  })

  it('can be opened again until it was used, by one browser at a time', async () => {
    const token = await setUpLink()
    const first = await opened(token)
    const again = await open(token)
    expect(await prisma().session.findUnique({ where: { id: first.sessionId } })).toMatchObject({
      endReason: 'replaced',
    })
    expect(await readSetUpSession(again.token, new Date())).toMatchObject({ memberId: first.memberId })
    expect(await prisma().member.count()).toBe(1)
  })

  it('makes one admin of two browsers that finish at the same time', async () => {
    const caller = await opened(await setUpLink())
    await nameYourself(caller, { name: 'Kim' })
    const both = await Promise.allSettled([finish(caller), finish(caller)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('makes no admin when there is one meanwhile, and undoes what it did', async () => {
    const caller = await opened(await setUpLink())
    await nameYourself(caller, { name: 'Kim' })
    await prisma().member.create({ data: { id: crypto.randomUUID(), name: 'Lee', role: 'admin' } })
    await expect(finish(caller)).rejects.toEqual(refusal('There is an admin already.'))
    expect(await prisma().member.findUnique({ where: { id: caller.memberId ?? '' } })).toMatchObject({
      joinedAt: null,
    })
  })

  it.each(['', 'x', 'x'.repeat(43)])('that nobody made does not open: %j', async (token) => {
    await setUpLink()
    await expect(open(token)).rejects.toEqual(refusal('This link is not valid.'))
  })
})
