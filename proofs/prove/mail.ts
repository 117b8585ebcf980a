import fs from 'node:fs'
import path from 'node:path'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { freePort } from '../../bin/postgres.ts'
import { startScriptedMailServer } from '../../test/scripted-mail-server.ts'
import { type Process, processOf } from './faults/process.ts'
import { CannotRunHere, newKeys, openTestBed, sleep, type TestBed } from './faults/test-bed.ts'
import {
  addressOf,
  admins,
  type Bench,
  configuration,
  copiesOf,
  idOf,
  type MailServer,
  reported,
  tellAll,
  until,
} from './mail/bench.ts'
import { startPostfix } from './mail/postfix.ts'

export const when = 'lib/platform/mail, the mailing of notices or nodemailer changed; eight minutes'

/**
 * Each row is a fault of a mail server, or of ours, that once lost or repeated a mail. Two mailers in processes of their own
 * notify ten admins, and each must get exactly one mail. The row's time is moved where a wait is longer than a minute.
 * @param words names of rows; all by default
 */
export default async function proveMail(words: string[]): Promise<Result> {
  const results: Result[] = []
  const stage = await openTestBed('mail')
  const server = await startScriptedMailServer()
  try {
    for (const [name, prove] of Object.entries(rows)) {
      if (words.length > 0 && !words.includes(name)) continue
      results.push(await proveRow(name, prove, stage, server))
    }
  } finally {
    await server.stop()
    await stage.close()
  }
  return sumResults(results)
}

async function proveRow(name: string, prove: Row, stage: TestBed, server: MailServer): Promise<Result> {
  const began = performance.now()
  const running: Process[] = []
  const logFile = path.join(stage.folder, `${name}.log`)
  fs.writeFileSync(logFile, '')
  const keys = newKeys()
  server.play()
  await stage.ask('TRUNCATE member, admin_notice, mail')
  for (let index = 0; index < admins; index++)
    await stage.ask(
      `INSERT INTO member (id, name, role, email, joined_at) VALUES (gen_random_uuid(), 'A', 'admin', $1, now())`,
      [addressOf(index)],
    )
  const bench: Bench = {
    stage,
    server,
    async start(count, variables = {}) {
      const given = { ...configuration(stage.url, server.url, keys), ...variables }
      const started = Array.from({ length: count }, () => processOf('../mail/mailer.ts', [], given, logFile))
      running.push(...started)
      await Promise.all(started.map((one) => one.start()))
      return started
    },
    async tell({ name: actor = 'Kim', facts = {}, kind = 'secret-rotated' } = {}) {
      await stage.ask(
        `INSERT INTO admin_notice (id, kind, actor_name, facts)
         VALUES (md5(clock_timestamp()::text)::uuid, $1, $2, $3)`,
        [kind, actor, JSON.stringify(facts)],
      )
      await stage.ask(`SELECT pg_notify('admin_notice', '')`)
    },
    async later() {
      await stage.ask(`UPDATE mail SET next_at = now() WHERE claimed_until IS NULL`)
    },
    async states() {
      const counted = await stage.ask<{ state: string; count: number }>(
        'SELECT state, count(*)::int AS count FROM mail GROUP BY 1',
      )
      return Object.fromEntries(counted.map(({ state, count }) => [state, count]))
    },
    log: () => fs.readFileSync(logFile, 'utf8'),
  }
  try {
    const said = await prove(bench)
    console.log(`${name}: ${said} (${Math.round((performance.now() - began) / 1_000)} s)`)
    return passedResult
  } catch (error) {
    if (error instanceof CannotRunHere) {
      console.log(`${name}: SKIPPED, ${error.message}`)
      return skippedResult(`mail ${name} (${error.message})`)
    }
    console.error(`${name}: FAILED`, error, await bench.states(), bench.log().slice(-2_000))
    return failedResult(`mail ${name}`, error)
  } finally {
    for (const one of running) await one.kill('SIGKILL')
  }
}

/** A row answers what held. */
type Row = (bench: Bench) => Promise<string>

const rows: Readonly<Record<string, Row>> = {
  'slow-end': async (bench) => {
    bench.server.play(async (line) => (line === '.' ? void (await sleep(15_000)) : undefined))
    await tellAll(bench)
    return `the end of each text was answered after 15 s: ${reported(bench)}`
  },
  'takes-and-closes': async (bench) => {
    bench.server.play((line) => (line === '.' ? null : undefined))
    await bench.start(2)
    await bench.tell()
    await until(async () => bench.server.received.length >= admins, 30, 'all were handed over')
    await sleep(5_000)
    if (bench.server.received.length !== admins) throw new Error('It was repeated at once')
    for (let hour = 0; hour < 4; hour++) {
      await bench.later()
      await sleep(3_000)
    }
    const copies = copiesOf(bench)
    if (copies.some(({ ids, count }) => ids !== 1 || count > 3)) throw new Error(JSON.stringify(copies))
    const { unknown = 0 } = await bench.states()
    if (unknown !== admins) throw new Error('They are not called unknown')
    return `taken, never answered: at most ${Math.max(...copies.map(({ count }) => count))} copies each within hours, one Message-ID each, then unknown`
  },
  drips: async (bench) => {
    const drips: NodeJS.Timeout[] = []
    bench.server.play((line, socket) => {
      if (!line.startsWith('EHLO')) return undefined
      drips.push(setInterval(() => socket.destroyed || socket.write('250-more\r\n'), 5_000))
      return new Promise(() => undefined)
    })
    await bench.start(2)
    await bench.tell()
    await until(async () => /did not take a mail/.test(bench.log()), 150, 'an end of the first try')
    for (const drip of drips) clearInterval(drip)
    bench.server.play()
    await bench.later()
    await until(async () => (await bench.states()).sent === admins, 240, 'all are told')
    return `EHLO was answered a line each 5 s for ever, then it was well: ${reported(bench)}`
  },
  greylists: async (bench) => {
    bench.server.play((line) =>
      line.startsWith('RCPT') && !line.includes('admin0@') ? '450 4.2.0 later' : undefined,
    )
    await bench.start(2)
    await bench.tell()
    await until(async () => (await bench.states()).sent === 1, 30, 'the first is told')
    const first = bench.server.received.splice(0)
    bench.server.play()
    bench.server.received.push(...first)
    await until(async () => (await bench.states()).sent === admins, 120, 'all are told')
    return `450 for nine of ten at the first try, and no time set ahead: ${reported(bench)}`
  },
  limits: async (bench) => {
    let taken = 0
    bench.server.play((line) => (line.startsWith('RCPT') && ++taken > 5 ? '452 4.5.3 too many' : undefined))
    await bench.start(2)
    await bench.tell()
    await until(async () => (await bench.states()).sent === 5, 30, 'five are told')
    await sleep(1_000)
    taken = -100
    await bench.later()
    await until(async () => (await bench.states()).sent === admins, 120, 'all are told')
    return `452 after five of ten: ${reported(bench)}`
  },
  refuses: async (bench) => {
    bench.server.play((line) => (line.includes('admin3@') ? '550 5.1.1 unknown' : undefined))
    await bench.start(2)
    await bench.tell()
    await until(async () => ((await bench.states()).sent ?? 0) === admins - 1, 30, 'nine are told')
    await bench.later()
    await sleep(3_000)
    const asked = bench.server.lines.filter((line) => line.includes('admin3@')).length
    if (asked !== 1 || (await bench.states()).failed !== 1) throw new Error(`It was asked ${asked} times`)
    if (copiesOf(bench).some(({ count }) => count !== 1)) throw new Error('Somebody was told twice')
    return '550 for one of ten: asked once and failed, the nine others told once'
  },
  'slow-steps': async (bench) => {
    bench.server.play(async (line) =>
      /^(CONNECT|EHLO|MAIL|RCPT|DATA|\.|QUIT)/.test(line) ? void (await sleep(9_000)) : undefined,
    )
    await bench.start(2)
    await bench.tell()
    let most = 0
    await until(
      async () => {
        const open = await bench.stage.ask(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND state_change < now() - interval '1 s'`,
        )
        most = Math.max(most, open.length)
        return (await bench.states()).sent === admins
      },
      240,
      'all are told',
    )
    if (most > 0) throw new Error('A transaction was open meanwhile')
    return `9 s at each step: ${reported(bench)}, no transaction open`
  },
  away: async (bench) => {
    const port = await freePort()
    await bench.start(2, { SMTP_URL: `smtp://127.0.0.1:${port}` })
    await bench.tell()
    await until(async () => /ECONNREFUSED/.test(bench.log()), 30, 'a line in the log')
    for (let round = 0; round < 3; round++) {
      await bench.later()
      await sleep(2_000)
    }
    const lines = bench
      .log()
      .split('\n')
      .filter((line) => line.includes('ECONNREFUSED'))
    if (lines.length > 2 || lines.some((line) => line.includes('stack'))) throw new Error(lines.join('\n'))
    const [mails] = await bench.stage.ask<{ tries: number }>('SELECT sum(tries)::int AS tries FROM mail')
    return `nobody there: ${mails?.tries} tries for ten, ${lines.length} lines in the logs of two processes, without a stack`
  },
  'killed-before-text': (bench) => proveKilled(bench, 'RCPT'),
  'killed-after-text': (bench) => proveKilled(bench, '.'),
  replicas: async (bench) => {
    await bench.start(3)
    for (let notice = 0; notice < 20; notice++) await bench.tell()
    await until(
      async () => (await bench.stage.ask('SELECT FROM admin_notice WHERE mailed_at IS NULL')).length === 0,
      60,
      'all are queued',
    )
    await until(async () => Object.keys(await bench.states()).join() === 'sent', 60, 'all are sent')
    const mails = bench.server.received.length
    const ids = new Set(bench.server.received.map(idOf)).size
    const [{ count } = { count: 0 }] = await bench.stage.ask<{ count: number }>(
      'SELECT count(*)::int AS count FROM mail',
    )
    if (mails !== ids || mails !== count) throw new Error(`${mails} mails, ${ids} ids, ${count} rows`)
    return `twenty notices, three mailers: ${count} mails queued, each sent once`
  },
  text: async (bench) => {
    await bench.stage.ask('DELETE FROM member')
    const addresses = [
      'Ana@example.com',
      'ana@EXAMPLE.com',
      'a@example.com,b@example.com',
      'josé@example.com',
    ]
    for (const address of addresses)
      await bench.stage.ask(
        `INSERT INTO member (id, name, role, email, joined_at) VALUES (gen_random_uuid(), 'A', 'admin', $1, now())`,
        [address],
      )
    await bench.start(2, { MAIL_FROM: 'Acme: Payments <rampart@example.com>' })
    const name = `Kim\r\n\r\nSign in again: https://evil.example ${'x'.repeat(160)}👨‍👩‍👧`
    await bench.tell({
      name,
      kind: 'endpoint-created',
      facts: { url: 'https://hooks.example.com/?token=open-sesame' },
    })
    await until(
      async () => (await bench.states()).sent === 1 && (await bench.states()).failed === 2,
      30,
      'each has a state',
    )
    const [mail, ...more] = bench.server.received
    const text = mail?.text ?? ''
    if (more.length > 0 || mail?.to.join().toLowerCase() !== 'ana@example.com')
      throw new Error('Somebody else was told')
    if (/^Sign in again/m.test(text)) throw new Error('A name has begun a line')
    if (text.includes('open-sesame')) throw new Error('A secret stands in the mail')
    if (!/^From: "Acme: Payments" </m.test(text)) throw new Error('The sender is not in quotes')
    if (!/^Auto-Submitted: auto-generated/m.test(text))
      throw new Error('It does not say that a machine sent it')
    if (!bench.server.lines.includes('EHLO dash.example.com')) throw new Error('EHLO names another host')
    return 'two spellings of one address, a list in one, one that needs SMTPUTF8, a name with lines, a token: one mail, as it should be'
  },
  settings: async (bench) => {
    const wrong = { SMTP_URL: 'smtp://mail.example.com?requireTLS=false' }
    const senders = ['Rampart <r@example.com', 'a@example.com, b@example.com']
    for (const variables of [wrong, ...senders.map((sender) => ({ MAIL_FROM: sender }))]) {
      const started = await bench.start(1, variables).then(
        () => true,
        () => false,
      )
      if (started) throw new Error(`Started with ${JSON.stringify(variables)}`)
    }
    const said = bench.log()
    if (
      !said.includes('SMTP_URL must not have requireTLS') ||
      !said.includes('MAIL_FROM must be an e-mail address')
    )
      throw new Error('No line says why')
    return 'requireTLS=false and two wrong senders are refused at the start, in a line'
  },
  postfix: async (bench) => {
    const postfix = await startPostfix(bench.stage.folder)
    try {
      await bench.start(2, { SMTP_URL: `smtp://localhost:${postfix.port}` })
      await bench.tell()
      await until(async () => (await bench.states()).sent === admins, 60, 'all are told')
      await until(async () => postfix.mails().length === admins, 60, 'all are in the mailbox')
      await sleep(3_000)
      const mails = postfix.mails()
      const to = mails.map((mail) => /^Delivered-To: (.*)$/m.exec(mail)?.[1]).toSorted()
      if (
        to.join() !==
        Array.from({ length: admins }, (_, index) => addressOf(index))
          .toSorted()
          .join()
      )
        throw new Error(to.join())
      if (!mails.every((mail) => /^Received: from dash\.example\.com [\s\S]*? with ESMTPS id/m.test(mail)))
        throw new Error('Not all came by TLS from the host of PUBLIC_URL')
      return `Debian's Postfix on this machine, with a certificate that nobody trusts: ${admins} mails in the mailbox, one each`
    } finally {
      await postfix.stop()
    }
  },
}

/** One process is killed while it sends, and another finds what it left. */
async function proveKilled(bench: Bench, step: string): Promise<string> {
  bench.server.play((line) => (line.startsWith(step) ? new Promise(() => undefined) : undefined))
  const [first] = await bench.start(1)
  await bench.tell()
  await until(
    async () => bench.server.lines.filter((line) => line.startsWith(step)).length >= 3,
    30,
    'some are under way',
  )
  await first?.kill('SIGKILL')
  // Bytes that the process had sent may still be on their way.
  await sleep(500)
  const before = bench.server.received.splice(0)
  bench.server.play()
  bench.server.received.push(...before)
  await bench.start(2)
  const isAfter = step === '.'
  const expected = isAfter ? admins - before.length : admins
  await until(async () => (await bench.states()).sent === expected, 150, 'the others go on')
  if (isAfter) {
    await until(
      async () => (await bench.stage.ask(`SELECT FROM mail WHERE unsure = 1`)).length === before.length,
      90,
      'it is known what may have arrived',
    )
    if (copiesOf(bench).some(({ count }) => count !== 1)) throw new Error('It was repeated at once')
    await bench.later()
    await until(async () => (await bench.states()).sent === admins, 60, 'all are told')
    if (copiesOf(bench).some(({ ids }) => ids !== 1)) throw new Error('A copy has another Message-ID')
    return `killed while ${before.length} were handed over and not answered: the others told once at once, these once more after half an hour, with the same Message-ID`
  }
  return `killed while some had named their recipient: ${reported(bench)}`
}
