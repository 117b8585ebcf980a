import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { openListener } from '#lib/db/listen.ts'
import { pool } from '#lib/db/pool.ts'
import { prisma } from '#lib/db/prisma.ts'
import { callerWith } from '../../test/callers.ts'
import { startDatabase, type TestConfiguration } from '../../test/database.ts'
import { captureLog } from '../../test/log.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { mailNotices } from './mail-notices.ts'
import { startNoticeMailer } from './notice-mailer.ts'
import { tellAdmins } from './tell-admins.ts'

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

it('goes to every admin with an address, once', async () => {
  await member('one@example.com')
  await member('two@example.com')
  await member(null)
  await member('support@example.com', { role: 'support' })
  await member('gone@example.com', { removedAt: new Date() })
  await tell()
  expect(await mailNotices(pool())).toBe(1)
  expect(mails.received.flatMap(({ to }) => to).toSorted()).toEqual(['one@example.com', 'two@example.com'])
  const [mail] = mails.received.splice(0)
  expect(mail?.text).toContain('Subject: Kim rotated the secret of an endpoint')
  expect(mail?.text).toContain('Why: it leaked')
  expect(mail?.text).toContain('https://dash.example.com/notices')
  expect(await mailNotices(pool())).toBe(0)
})

it('is one mail for several, and one process sends it', async () => {
  await tell()
  await tell()
  const both = await Promise.all([mailNotices(pool()), mailNotices(pool())])
  expect(both.toSorted()).toEqual([0, 2])
  const sent = mails.received.splice(0)
  expect(sent).toHaveLength(2)
  expect(sent[0]?.text).toContain('Subject: 2 notices from Rampart at dash.example.com')
})

it('says of an endpoint that the service switched off what to do, and where', async () => {
  const [about, facts] = [uuidv7(), { endpoint: 'The shop' }]
  await inTransaction(pool(), (tx) =>
    tellAdmins(tx, { kind: 'endpoint-switched-off', actor: null, about, facts }),
  )
  expect(await mailNotices(pool())).toBe(1)
  expect(await mailNotices(pool())).toBe(0)
  const [mail, ...others] = mails.received.splice(0)
  expect(others).toHaveLength(1)
  expect(mail?.text).toContain('It gets nothing until an admin activates it.')
  expect(mail?.text).toContain(
    `See what failed, then activate it: https://dash.example.com/endpoints/${about}`,
  )
})

it('is tried again when the mail server took it for nobody', async () => {
  await prisma().member.deleteMany()
  await member('nobody@example.com')
  await tell()
  const logged = captureLog()
  expect(await mailNotices(pool())).toBe(0)
  logged.stop()
  await prisma().member.updateMany({ data: { email: 'somebody@example.com' } })
  expect(await mailNotices(pool())).toBe(1)
  expect(mails.received.splice(0)).toHaveLength(1)
})

it('is mailed as soon as it is written', async () => {
  const listener = openListener(database.url)
  await new Promise<void>((resolve) => listener.onListening(resolve))
  const mailer = startNoticeMailer(pool(), listener)
  await tell()
  await expect.poll(() => mails.received.length).toBe(1)
  await mailer.stop()
  await listener.close()
})
