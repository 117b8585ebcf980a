import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { noticesWithAlert } from '#lib/audit/labels/notice-labels.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { openListener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { callerWith } from '../../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { mailNotices, startNoticeMailer } from './notice-mailer.ts'
import { tellAdmins } from './notices.ts'

let database: TestConfiguration
let mails: Awaited<ReturnType<typeof startMailServer>>
beforeAll(async () => {
  mails = await startMailServer()
  database = await startDatabase({
    PUBLIC_URL: 'https://dash.example.com',
    SMTP_URL: mails.url,
    MAIL_FROM: 'rampart@example.com',
  })
})
afterAll(async () => {
  await database.stop()
  await mails.stop()
})

const kim = callerWith('admin', { name: 'Kim' })
const tell = () =>
  inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'secret-rotated', actor: kim, reason: 'it leaked', facts: {} }),
  )
const member = (email: string | null, given: { role?: string; removedAt?: Date } = {}) =>
  prisma().member.create({ data: { id: uuidv7(), name: 'M', role: 'admin', email, ...given } })

async function mailed() {
  const listener = openListener(database.url)
  const mailer = startNoticeMailer(pool(), listener)
  const left = `SELECT FROM admin_notice WHERE mailed_at IS NULL`
  await expect.poll(async () => (await pool().query(left)).rowCount).toBe(0)
  const notTried = { state: 'waiting', OR: [{ tries: 0 }, { claimedUntil: { not: null } }] }
  await expect.poll(() => prisma().mail.count({ where: notTried })).toBe(0)
  await mailer.stop()
  await listener.close()
  return mails.received.splice(0).map(({ to, text }) => ({ to, text: decoded(text) }))
}

/** Mailboxes show the text with quoted-printable decoded. */
const decoded = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8')

beforeEach(() => pool().query('TRUNCATE member, admin_notice, mail'))

it('goes to every admin with an address, once', async () => {
  await member('one@example.com')
  await member('two@example.com')
  await member(null)
  await member('support@example.com', { role: 'support' })
  await member('gone@example.com', { removedAt: new Date() })
  await tell()
  const sent = await mailed()
  expect(sent.flatMap(({ to }) => to).toSorted()).toEqual(['one@example.com', 'two@example.com'])
  expect(sent[0]?.text).toContain('Subject: Kim rotated the secret of an endpoint')
  expect(sent[0]?.text).toContain('Why: it leaked')
  expect(sent[0]?.text).toContain('https://dash.example.com/notices')
  expect(await mailed()).toEqual([])
})

it('is one mail for several, and one process queues it', async () => {
  await member('one@example.com')
  await tell()
  await tell()
  const both = await Promise.all([mailNotices(pool()), mailNotices(pool())])
  expect(both.toSorted()).toEqual([0, 2])
  const sent = await mailed()
  expect(sent).toHaveLength(1)
  expect(sent[0]?.text).toContain('Subject: 2 notices from Rampart at dash.example.com')
})

it('is not written of what an alert reports', async () => {
  await member('one@example.com')
  await inTransaction(pool(), async (tx) => {
    for (const kind of noticesWithAlert) await tellAdmins(tx, { kind, actor: null, about: uuidv7() })
  })
  expect(await mailNotices(pool())).toBe(0)
  expect(mails.received).toEqual([])
})

it('reaches the admins whose mailbox is taken, whatever is wrong with another', async () => {
  for (const name of ['nobody', 'later', 'somebody']) await member(`${name}@example.com`)
  await tell()
  expect((await mailed()).flatMap(({ to }) => to)).toEqual(['somebody@example.com'])
  expect(
    await prisma().mail.findMany({ select: { recipient: true, state: true }, orderBy: { recipient: 'asc' } }),
  ).toEqual([
    { recipient: 'later@example.com', state: 'waiting' },
    { recipient: 'nobody@example.com', state: 'failed' },
    { recipient: 'somebody@example.com', state: 'sent' },
  ])
})

it('is written of what the notice says when it is sent: erased data leaves it', async () => {
  await member('later@example.com')
  await tell()
  await mailed()
  await pool().query(`UPDATE admin_notice SET actor_name = 'Erased', reason = NULL`)
  await prisma().member.updateMany({ data: { email: 'one@example.com' } })
  await pool().query(`UPDATE mail SET recipient = 'one@example.com', next_at = now()`)
  const listener = openListener(database.url)
  const mailer = startNoticeMailer(pool(), listener)
  await expect.poll(() => mails.received.length).toBe(1)
  await mailer.stop()
  await listener.close()
  const [mail] = mails.received.splice(0)
  expect(mail?.text).toContain('Subject: Erased rotated')
  expect(mail?.text).not.toMatch(/Kim|it leaked/)
})

it('follows an admin whose address changes while it waits', async () => {
  const kim = await member('later@example.com')
  await member('other@example.com')
  await tell()
  expect((await mailed()).flatMap(({ to }) => to)).toEqual(['other@example.com'])
  await prisma().member.update({ where: { id: kim.id }, data: { email: null, ssoEmail: 'kim@example.com' } })
  await pool().query('UPDATE mail SET next_at = now(), tries = 0')
  expect((await mailed()).flatMap(({ to }) => to)).toEqual(['kim@example.com'])
  expect(
    await prisma().mail.findMany({ where: { state: 'sent' }, orderBy: { recipient: 'asc' } }),
  ).toMatchObject([{ recipient: 'kim@example.com' }, { recipient: 'other@example.com' }])
})

it('goes to the admin whom it is for, also where another one has their old address now', async () => {
  const kim = await member('later@example.com')
  await tell()
  await mailed()
  await prisma().member.update({ where: { id: kim.id }, data: { email: 'kim@example.com' } })
  await member('later@example.com')
  await pool().query('UPDATE mail SET next_at = now(), tries = 0')
  expect((await mailed()).flatMap(({ to }) => to)).toEqual(['kim@example.com'])
})

it('does not go to somebody who was an admin when it was written and is none when it is sent', async () => {
  await member('later@example.com')
  await tell()
  await mailed()
  await prisma().member.updateMany({ data: { removedAt: new Date() } })
  await pool().query(`UPDATE mail SET recipient = 'one@example.com', next_at = now()`)
  await prisma().member.updateMany({ data: { email: 'one@example.com' } })
  expect(await mailed()).toEqual([])
  expect(await prisma().mail.count()).toBe(0)
})

it('is mailed as soon as it is written', async () => {
  await member('one@example.com')
  const listener = openListener(database.url)
  await new Promise<void>((resolve) => listener.onListening(resolve))
  const mailer = startNoticeMailer(pool(), listener)
  await tell()
  await expect.poll(() => mails.received.length).toBe(1)
  await mailer.stop()
  await listener.close()
  mails.received.splice(0)
})

it('goes once to two spellings of one mailbox, and to one address of each admin alone', async () => {
  await member('Ana@example.com')
  await member('ana@Example.com')
  await member('a@example.com,b@example.com')
  await tell()
  const sent = await mailed()
  expect(sent.flatMap(({ to }) => to.map((one) => one.toLowerCase()))).toEqual(['ana@example.com'])
  expect(await prisma().mail.findMany({ where: { state: 'failed' } })).toMatchObject([
    { recipient: 'a@example.com,b@example.com', lastAnswer: 'This is not one e-mail address.' },
  ])
})

it('holds no line that somebody put into a name, and no secret of an address', async () => {
  await member('ana@example.com')
  const actor = callerWith('admin', { name: 'Kim\r\n\r\nSign in again: https://evil.example/\u2028now' })
  const facts = { url: 'https://hooks.example.com/in?token=open-sesame', endpoint: 'a\nb' }
  await inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'endpoint-created', actor, reason: 'new\nshop', facts }),
  )
  const [mail] = await mailed()
  expect(mail?.text).not.toContain('open-sesame')
  expect(mail?.text).toContain('https://hooks.example.com/…?…')
  expect(mail?.text).toContain('  Why: new shop')
  expect(mail?.text).not.toMatch(/^(Sign in again|now|b)/m)
})

it('has a subject that ends between two letters or signs', async () => {
  await member('ana@example.com')
  const name = `${'x'.repeat(196)}👨‍👩‍👧`
  await inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'secret-rotated', actor: callerWith('admin', { name }), facts: {} }),
  )
  expect((await mailed())[0]?.text).toMatch(/^Subject:\s+x{196}\r\n\S/m)
})
