import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeAuthority } from '../../../test/certificates.ts'
import { startDatabase, type TestConfiguration } from '../../../test/database.ts'
import { captureLog } from '../../../test/log.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { startScriptedMailServer } from '../../../test/scripted-mail-server.ts'
import { configure } from '../../../test/service.ts'
import { inTransaction } from '../db/in-transaction.ts'
import { pool } from '../db/pool.ts'
import { forgetHeldBack } from '../log/limited.ts'
import { claimDue, mailQueue, queueClaimed, queueMails, startMailer, tryMail, tryNow } from './mail-queue.ts'

let database: TestConfiguration
let server: Awaited<ReturnType<typeof startScriptedMailServer>>
beforeAll(async () => {
  server = await startScriptedMailServer()
  database = await startDatabase(settings())
})
afterAll(async () => {
  await database.stop()
  await server.stop()
})
beforeEach(async () => {
  server.play()
  await pool().query('TRUNCATE mail')
})

const settings = () => ({
  PUBLIC_URL: 'https://dash.example.com',
  SMTP_URL: server.url.replace('//', '//user:password@'),
  MAIL_FROM: 'Acme: Payments <rampart@example.com>',
})
const write = async () => ({ subject: 'A notice', text: 'Somebody did something.' })
const queue = (...recipients: string[]) =>
  inTransaction(pool(), (tx) => queueMails(tx, 'notices', recipients, []))
const startOne = () => startMailer(pool(), write, async () => undefined)
/** The round tries each mail that is due once. */
const round = async () => {
  await mailQueue.settleLeft(pool())
  return Promise.all((await claimDue(pool(), 50)).map((mail) => tryMail(pool(), mail, write)))
}
const makeDue = () => pool().query('UPDATE mail SET next_at = now()')
const states = async () =>
  Object.fromEntries(
    (await pool().query('SELECT recipient, state FROM mail')).rows.map(({ recipient, state }) => [
      recipient.split('@')[0],
      state,
    ]),
  )
const notifiedAddresses = () => server.received.flatMap(({ to }) => to).toSorted()
const messageIds = () => server.received.map(({ text }) => /Message-ID: (<\S+>)/i.exec(text)?.[1])

/** A script waits at the gate until a test opens it. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  return { passed: promise, open: () => resolve(undefined) }
}

it('has the host of PUBLIC_URL, a quoted sender, and a header against automatic replies', async () => {
  await queue('ana@example.com')
  await round()
  expect(server.lines).toContain('EHLO dash.example.com')
  expect(server.lines).toContain(`AUTH PLAIN ${btoa('\0user\0password')}`)
  const [mail] = server.received
  expect(mail?.text).toContain('From: "Acme: Payments" <rampart@example.com>')
  expect(mail?.text).toContain('To: ana@example.com')
  expect(mail?.text).toContain('Auto-Submitted: auto-generated')
  expect(messageIds()).toEqual([expect.stringMatching(/^<[\da-f-]{36}@dash\.example\.com>$/)])
})

describe('a mail server that takes its time', () => {
  it('holds no transaction open', async () => {
    const held = gate()
    server.play((line) => (line.startsWith('RCPT') ? held.passed : undefined))
    await queue('ana@example.com')
    const trying = round()
    await expect.poll(() => server.lines.some((line) => line.startsWith('RCPT'))).toBe(true)
    const { rows } = await pool().query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    )
    expect(rows).toEqual([])
    held.open()
    await trying
    expect(await states()).toEqual({ ana: 'sent' })
  })
})

describe('each recipient', () => {
  it('who is refused for now gets the mail later, and nobody gets it twice', async () => {
    server.play((line) => (line.includes('bo@') ? '450 4.2.0 greylisted' : undefined))
    await queue('ana@example.com', 'bo@example.com', 'cy@example.com')
    await round()
    expect(await states()).toEqual({ ana: 'sent', bo: 'waiting', cy: 'sent' })
    expect(await round()).toEqual([])
    server.play()
    await makeDue()
    await round()
    expect(notifiedAddresses()).toEqual(['bo@example.com'])
    expect(await states()).toEqual({ ana: 'sent', bo: 'sent', cy: 'sent' })
  })

  it('after a limit of five gets the mail later', async () => {
    let taken = 0
    server.play((line) => (line.startsWith('RCPT') && ++taken > 5 ? '452 4.5.3 too many' : undefined))
    const ten = Array.from({ length: 10 }, (_, i) => `r${i}@example.com`)
    await queue(...ten)
    await round()
    const first = notifiedAddresses()
    expect(first).toHaveLength(5)
    server.play()
    await makeDue()
    await round()
    expect([...first, ...notifiedAddresses()].toSorted()).toEqual(ten)
  })

  it.each(['RCPT', 'DATA', '.'])(
    'who is refused for good at %s is not tried again, and the others are told',
    async (step) => {
      let bo = false
      server.play((line) => {
        if (line.startsWith('RCPT')) bo = line.includes('bo@')
        return bo && line.startsWith(step) ? '550 5.1.1 <bo@xn--bcher-kva.example> unknown' : undefined
      })
      const logged = captureLog()
      await queue('bo@bücher.example')
      await round()
      await queue('ana@example.com')
      await round()
      logged.stop()
      expect(await states()).toEqual({ ana: 'sent', bo: 'failed' })
      const { rows } = await pool().query(`SELECT last_answer FROM mail WHERE state = 'failed'`)
      for (const kept of [rows[0]?.last_answer, logged.text()]) {
        expect(kept).toContain('550 5.1.1 <…> unknown')
        expect(kept).not.toContain('bo@')
      }
    },
  )

  it.each([
    ['CONNECT', '554 not you'],
    ['EHLO', '421 later'],
    ['MAIL', '550 5.7.1 not this sender'],
    ['MAIL', null],
    ['RCPT', '530 5.7.0 Authentication required'],
    ['RCPT', '554 5.7.1 <mail.test[10.0.0.7]>: Client host rejected: Access denied'],
    ['RCPT', '550 5.7.1 <rampart@example.com>: Sender address rejected: not owned by user'],
    ['RCPT', '553 5.1.8 <rampart@example.com>: Sender address rejected: Domain not found'],
    ['DATA', '554 5.7.1 rate limited, sending account suspended'],
    ['DATA', '503 5.5.1 no valid recipients'],
    ['.', '554 5.7.1 rate limited, sending account suspended'],
  ])('is not given up for what is ours to mend: %s answered with %s', async (step, answer) => {
    server.play((line) =>
      line.startsWith(step) || (step === 'EHLO' && line.startsWith('HELO')) ? answer : undefined,
    )
    await queue('ana@example.com')
    await round()
    expect(await states()).toEqual({ ana: 'waiting' })
    server.play()
    await makeDue()
    await round()
    expect(await states()).toEqual({ ana: 'sent' })
  })

  it.each([
    'a@example.com,b@example.com',
    '"a@example.com"@example.com',
    'a@example.com\r\nBcc: b@example.com',
  ])('has one address: nothing goes to %j, and its state says so', async (recipient) => {
    await queue(recipient, 'cy@example.com')
    await round()
    expect(notifiedAddresses()).toEqual(['cy@example.com'])
    expect((await pool().query('SELECT state FROM mail ORDER BY state')).rows).toEqual([
      { state: 'failed' },
      { state: 'sent' },
    ])
  })
})

describe('the Date of a mail', () => {
  const made = new Date('2026-01-05T06:07:08.000Z')
  const dated = async () => {
    await pool().query('UPDATE mail SET created_at = $1, next_at = now()', [made])
    await round()
    const dates = server.received.map(({ text }) => new Date(/^Date: (.*)$/m.exec(text)?.[1] ?? ''))
    return dates.map((date) => date.getTime() === made.getTime())
  }

  it('is that of the try whose text it has, however long it waited', async () => {
    await queue('ana@example.com')
    expect(await dated()).toEqual([false])
  })

  it('is that of its making where a copy may have arrived, or its text was stored', async () => {
    server.play((line) => (line === '.' ? null : undefined))
    await queue('ana@example.com')
    await round()
    await inTransaction(pool(), (tx) =>
      queueClaimed(tx, { kind: 'test', recipient: 'bo@example.com', about: [], written: stored }),
    )
    await pool().query(`UPDATE mail SET claimed_until = NULL`)
    server.play()
    expect(await dated()).toEqual([true, true])
  })
})

const stored = { subject: 'A test', text: 'It was stored.' }

describe('a mail of which nobody knows whether it arrived', () => {
  it('has one Message-ID, is repeated twice, half an hour later at the earliest, and then has the state unknown', async () => {
    server.play((line) => (line === '.' ? null : undefined))
    await queue('ana@example.com')
    await round()
    expect(await round()).toEqual([])
    const { rows } = await pool().query(`SELECT next_at - now() > '29 min' AS later FROM mail`)
    expect(rows).toEqual([{ later: true }])
    for (let more = 0; more < 5; more++) {
      await makeDue()
      await round()
    }
    expect(messageIds()).toHaveLength(3)
    expect(new Set(messageIds()).size).toBe(1)
    expect(await states()).toEqual({ ana: 'unknown' })
  })

  it('counts as sent when the answer comes after another process has taken it over', async () => {
    const held = gate()
    server.play((line) => (line === '.' ? held.passed : undefined))
    await queue('ana@example.com')
    const trying = round()
    await expect.poll(() => server.lines.includes('.')).toBe(true)
    await pool().query(`UPDATE mail SET claimed_until = now() - interval '1 s'`)
    await mailQueue.settleLeft(pool())
    expect(await states()).toEqual({ ana: 'waiting' })
    held.open()
    await trying
    expect(await states()).toEqual({ ana: 'sent' })
  })
})

it('a mail that waits in a restored database is not sent, because it may have been', async () => {
  await queue('ana@example.com')
  await inTransaction(pool(), (tx) => mailQueue.endWaiting(tx, new Date()))
  expect(await round()).toEqual([])
  expect(await states()).toEqual({ ana: 'unknown' })
})

describe('after the clock was set back by an hour', () => {
  const setBack = (...columns: string[]) =>
    pool().query(`UPDATE mail SET ${columns.map((one) => `${one} = ${one} + interval '1 hour'`).join(', ')}`)

  it('a mail that waits is sent at once', async () => {
    await queue('ana@example.com')
    await setBack('created_at', 'next_at')
    await round()
    expect(await states()).toEqual({ ana: 'sent' })
  })

  it('a mail that is to be repeated is repeated at once, and then after the usual pause', async () => {
    server.play((line) => (line.startsWith('RCPT') ? '450 4.2.0 greylisted' : undefined))
    await queue('ana@example.com')
    await round()
    await setBack('tried_at', 'next_at')
    expect(await round()).toHaveLength(1)
    expect(await round()).toEqual([])
  })

  it('mails of a process that died are taken over, whether they were handed over or not', async () => {
    await queue('ana@example.com', 'bo@example.com')
    const [first] = await claimDue(pool(), 2)
    if (first) await mailQueue.markHandedOver(pool(), first)
    await setBack('claimed_until')
    await round()
    expect(server.received).toHaveLength(1)
    const { rows } = await pool().query('SELECT state, unsure FROM mail ORDER BY unsure')
    expect(rows).toEqual([
      { state: 'sent', unsure: 0 },
      { state: 'waiting', unsure: 1 },
    ])
  })
})

describe('of several processes', () => {
  it('one sends each mail', async () => {
    const ten = Array.from({ length: 10 }, (_, i) => `r${i}@example.com`)
    await queue(...ten)
    const mailers = [startOne(), startOne()]
    await expect.poll(async () => Object.values(await states()).every((state) => state === 'sent')).toBe(true)
    for (const mailer of mailers) await mailer.stop()
    expect(notifiedAddresses()).toEqual(ten.toSorted())
  })

  it('one that died before it handed a mail over leaves it to the others at once', async () => {
    await queue('ana@example.com')
    await claimDue(pool(), 1)
    expect(await round()).toEqual([])
    await pool().query(`UPDATE mail SET claimed_until = now() - interval '1 s'`)
    await round()
    expect(notifiedAddresses()).toEqual(['ana@example.com'])
  })

  it('one that died after it handed a mail over leaves a mail that may have arrived', async () => {
    await queue('ana@example.com')
    const [mail] = await claimDue(pool(), 1)
    if (mail) await mailQueue.markHandedOver(pool(), mail)
    await pool().query(`UPDATE mail SET claimed_until = now() - interval '1 s'`)
    expect(await round()).toEqual([])
    expect((await pool().query('SELECT state, unsure FROM mail')).rows).toEqual([
      { state: 'waiting', unsure: 1 },
    ])
  })

  it('one whose claim was taken over hands nothing over', async () => {
    await queue('ana@example.com')
    const [slow] = await claimDue(pool(), 1)
    await pool().query(`UPDATE mail SET claimed_until = now() - interval '1 s'`)
    await round()
    if (slow) await tryMail(pool(), slow, write)
    expect(notifiedAddresses()).toEqual(['ana@example.com'])
    expect(await states()).toEqual({ ana: 'sent' })
  })

  it('one that stops releases the mails that it has not handed over', async () => {
    const held = gate()
    server.play((line) => (line.startsWith('EHLO') ? held.passed : undefined))
    await queue('ana@example.com')
    const mailer = startOne()
    await expect.poll(() => server.lines.some((line) => line.startsWith('EHLO'))).toBe(true)
    await mailer.stop()
    expect((await pool().query('SELECT state, claimed_until FROM mail')).rows).toEqual([
      { state: 'waiting', claimed_until: null },
    ])
    held.open()
  })
})

describe('somebody who waits for a mail', () => {
  const queued = () =>
    inTransaction(pool(), async (tx) =>
      queueClaimed(tx, {
        kind: 'invitation',
        recipient: 'ana@example.com',
        about: [],
        written: await write(),
      }),
    )

  it('is told in limited time that it is in progress, and it continues', async () => {
    const held = gate()
    server.play((line) => (line === '.' ? held.passed : undefined))
    expect(await tryNow(pool(), await queued(), 300)).toMatchObject({ state: 'waiting' })
    held.open()
    await expect.poll(states).toEqual({ ana: 'sent' })
  })

  it.each([
    ['450 4.2.0 greylisted', 'waiting'],
    ['550 5.1.1 unknown', 'failed'],
    [null, 'unknown'],
  ])('hears what came of it: %s at the end makes it %s', async (answer, state) => {
    server.play((line) => (line === '.' ? answer : undefined))
    expect(await tryNow(pool(), await queued())).toMatchObject({ state })
  })

  it('has it kept for another process when no key here opens its text, until it fails', async () => {
    const keys = { RAMPART_KEYS: process.env.RAMPART_KEYS ?? '' }
    const use = (own: object) => configure({ ...settings(), DATABASE_URL: database.url, ...own })
    const again = async () => {
      await pool().query('UPDATE mail SET next_at = now(), claimed_until = NULL')
      await round()
      return states()
    }
    for (const recipient of ['ana@example.com', 'bo@example.com'])
      await inTransaction(pool(), async (tx) =>
        queueClaimed(tx, { kind: 'invitation', recipient, about: [], written: await write() }),
      )
    use({})
    expect(await again()).toEqual({ ana: 'waiting', bo: 'waiting' })
    expect((await pool().query('SELECT DISTINCT last_answer FROM mail')).rows).toEqual([
      { last_answer: 'Its text does not open with the keys here.' },
    ])
    await pool().query(`UPDATE mail SET give_up_at = now() + interval '10 s' WHERE recipient LIKE 'bo@%'`)
    expect(await again()).toEqual({ ana: 'waiting', bo: 'failed' })
    use(keys)
    expect(await again()).toEqual({ ana: 'sent', bo: 'failed' })
    expect(notifiedAddresses()).toEqual(['ana@example.com'])
  })

  it('leaves no text stored once it has ended', async () => {
    const mail = await queued()
    const kept = 'SELECT sealed IS NOT NULL AS kept, state FROM mail'
    expect((await pool().query(kept)).rows).toEqual([{ kept: true, state: 'waiting' }])
    await tryNow(pool(), mail)
    expect((await pool().query(kept)).rows).toEqual([{ kept: false, state: 'sent' }])
  })
})

it('a mail server on this machine is used with TLS, whatever its certificate', async () => {
  const postfix = await startMailServer(makeAuthority().certify('localhost'))
  configure({ ...settings(), DATABASE_URL: database.url, SMTP_URL: postfix.url })
  await queue('ana@example.com')
  await round()
  expect(await states()).toEqual({ ana: 'sent' })
  expect(postfix.received).toHaveLength(1)
  await postfix.stop()
  configure({ ...settings(), DATABASE_URL: database.url })
})

describe('a mail server that cannot do what is needed', () => {
  it('without SMTPUTF8 gets no address with other letters', async () => {
    await queue('josé@example.com', 'ana@bücher.example')
    await round()
    expect(notifiedAddresses()).toEqual(['ana@xn--bcher-kva.example'])
    const { rows } = await pool().query(`SELECT last_answer FROM mail WHERE state = 'failed'`)
    expect(rows).toEqual([{ last_answer: expect.stringContaining('SMTPUTF8') }])
  })

  it('is logged in one line, however many mails wait for it', async () => {
    server.play((line) => (line === 'CONNECT' ? null : undefined))
    await queue(...Array.from({ length: 10 }, (_, i) => `r${i}@example.com`))
    forgetHeldBack()
    const logged = captureLog()
    await round()
    logged.stop()
    expect(logged.lines).toMatchObject([{ level: 'warn', component: 'mail' }])
    expect(logged.text()).not.toContain('stack')
  })
})
