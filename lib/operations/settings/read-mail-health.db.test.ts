import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { queueMails } from '#lib/platform/mail/mail-queue.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { mailTrouble } from '#lib/platform/rules/mail-states.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { configure } from '../../../test/service.ts'
import { readMail, readMailHealth, readMailTrouble, sendTestMail } from './read-mail-health.ts'

let database: TestConfiguration
let mails: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  mails = await startMailServer()
  database = await startDatabase({ SMTP_URL: mails.url, MAIL_FROM: 'rampart@example.com' })
})
afterAll(async () => {
  await database.stop()
  await mails.stop()
})
beforeEach(() => pool().query('TRUNCATE mail, audit'))

const admin = callerWith('admin')
const test = (to: string) => sendTestMail(admin, { to }, newBrowser())
const trouble = async () => mailTrouble(await readMailHealth(pool()))

it('shows the last sent mail, the waiting ones and the mail server’s last answer', async () => {
  expect(await readMail(admin)).toMatchObject({
    server: new URL(mails.url).host,
    from: 'rampart@example.com',
    health: { lastSentAt: null, waiting: 0, lateSince: null, lost: 0, lastFault: null, triedAt: null },
  })
  expect(await test('ana@example.com')).toMatchObject({ state: 'sent' })
  expect(await test('later@example.com')).toMatchObject({
    state: 'waiting',
    answer: expect.stringContaining('450'),
  })
  const { health } = await readMail(admin)
  expect(health).toMatchObject({ waiting: 1, lost: 0, lastFault: { answer: expect.stringContaining('450') } })
  expect(health.lastSentAt).not.toBeNull()
  expect(health.triedAt).toBe(health.lastFault?.at)
})

it('records who sent a test in the audit, and is for nobody else', async () => {
  await test('ana@example.com')
  expect(await prisma().audit.findMany()).toMatchObject([
    { action: 'mail.test', actor: admin.id, outcome: 'done' },
  ])
  expect(JSON.stringify(mails.received.splice(0))).toContain('Subject: Test mail from Rampart')
  for (const role of ['support', 'compliance', 'auditor', 'end-user'] as const) {
    await expect(sendTestMail(callerWith(role), { to: 'ana@example.com' }, newBrowser())).rejects.toThrow(
      NotAllowed,
    )
    await expect(readMail(callerWith(role))).rejects.toThrow(NotAllowed)
  }
})

it('reports trouble while a mail waits for longer than greylisting takes', async () => {
  await inTransaction(pool(), (tx) => queueMails(tx, 'notices', ['ana@example.com'], []))
  expect(await trouble()).toBeNull()
  await pool().query(`UPDATE mail SET created_at = now() - interval '7 min'`)
  expect(await trouble()).toBe('late')
  expect(await readMailTrouble(admin)).toMatchObject({ waiting: 1 })
})

it('reports no trouble while one mail waits and others go out, nor of a test or of one that may have arrived', async () => {
  const age = () => pool().query(`UPDATE mail SET created_at = now() - interval '1 hour'`)
  await inTransaction(pool(), (tx) => queueMails(tx, 'notices', ['slow@example.com'], []))
  await age()
  expect(await trouble()).toBe('late')
  expect(await test('ana@example.com')).toMatchObject({ state: 'sent' })
  expect(await trouble()).toBeNull()
  await pool().query('DELETE FROM mail')
  expect(await test('later@example.com')).toMatchObject({ state: 'waiting' })
  await inTransaction(pool(), (tx) => queueMails(tx, 'notices', ['ana@example.com'], []))
  await pool().query(`UPDATE mail SET unsure = 1 WHERE kind = 'notices'`)
  await age()
  expect(await trouble()).toBeNull()
  // The server went away after the last mail was sent.
  await pool().query(`UPDATE mail SET unsure = 0 WHERE kind = 'notices'`)
  await pool().query(
    `UPDATE mail SET state = 'sent', ended_at = now() - interval '2 hours' WHERE kind = 'test'`,
  )
  expect(await trouble()).toBe('late')
})

it('reports trouble for a day after a mail reached nobody, unless it was a test', async () => {
  await test('nobody@example.com')
  expect(await trouble()).toBeNull()
  await inTransaction(pool(), (tx) => queueMails(tx, 'notices', ['a@example.com,b@example.com'], []))
  expect(await trouble()).toBe('lost')
  await pool().query(`UPDATE mail SET ended_at = now() - interval '25 h'`)
  expect(await trouble()).toBeNull()
})

it('is refused where no mail server is set', async () => {
  configure({ DATABASE_URL: database.url, SMTP_URL: '', MAIL_FROM: '' })
  await expect(test('ana@example.com')).rejects.toThrow(Refused)
  expect(await readMail(admin)).toMatchObject({ server: null, from: null })
})
