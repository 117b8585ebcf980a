import { fork } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../bin/postgres.ts'
import { startScriptedMailServer } from '../../test/scripted-mail-server.ts'
import { readEnv } from '../env.ts'
import { startSandbox } from '../start.ts'
import {
  createSandboxDatabase,
  createTestCaller,
  startTestReceiver,
  startTestSandbox,
  type TestCaller,
  testVariables,
  until,
} from '../test/running.ts'
import { type MailPatience, mailPatience } from './mail.ts'

type Sandbox = Awaited<ReturnType<typeof startTestSandbox>>

/** One sandbox serves most of the tests. Each of them starts the mail server at its port. */
let shared: Sandbox
let sandbox: Pick<Sandbox, keyof TestCaller>
let database: pg.Pool
let port: number
const patience = { ...mailPatience }
beforeAll(async () => {
  port = await freePort()
  shared = await startTestSandbox({ SANDBOX_SMTP_URL: `smtp://127.0.0.1:${port}` }, patience)
  database = new pg.Pool({ connectionString: shared.databaseUrl, max: 1 })
})
afterAll(async () => {
  await database.end()
  await shared.stop()
})
beforeEach(async () => {
  Object.assign(patience, mailPatience)
  sandbox = shared
  await sandbox.control('POST', '/reset')
})

/** The test runs a real mail server, which keeps the mails that it accepts. */
async function startMailServer(options: SMTPServerOptions = {}) {
  const received: { from: string; to: string[]; user: string | undefined; secure: boolean; text: string }[] =
    []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    async onData(stream, session, done) {
      let text = ''
      for await (const chunk of stream) text += chunk
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        user: session.user,
        secure: session.secure,
        text: text.replaceAll('=\r\n', ''),
      })
      done(...(text.includes('refuse-me') ? [refusal(554, '5.7.1 no such content')] : []))
    },
  })
  server.on('error', () => {})
  await once(server.listen(port, '127.0.0.1'), 'listening')
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { received }
}

/** The mail server answers what a test wants. */
async function useScript(given: MailPatience) {
  Object.assign(patience, given)
  const scripted = await startScriptedMailServer(port)
  onTestFinished(scripted.stop)
  return scripted
}

/** The server never ends its answer, and is never silent. */
function dribble(_line: string, socket: net.Socket): Promise<null> {
  const dripping = setInterval(() => socket.destroyed || socket.write('250-more\r\n'), 100)
  socket.once('close', () => clearInterval(dripping))
  return new Promise(() => undefined)
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

async function ask(email: string) {
  const user_uuid = await sandbox.createUser({ email })
  expect((await sandbox.service('POST', '/auth/login', { user_uuid })).status).toBe(204)
  return user_uuid
}

const mailbox = async (email: string) => (await sandbox.control('GET', `/mailbox?email=${email}`)).body

describe('the mail with a code', () => {
  it('leaves as text and as HTML, with the code that lies in the mailbox', async () => {
    const mails = await startMailServer()
    const user_uuid = await ask('ana@demo.test')
    const mail = await until(() => mails.received[0], 'the mail')
    expect(mail).toMatchObject({ from: 'no-reply@localhost', to: ['ana@demo.test'], user: undefined })
    expect(mail.text).toContain('Subject: Your one-time password')
    const code = await sandbox.lastCode('ana@demo.test')
    expect(mail.text).toContain(`Your one-time password is ${code}`)
    expect(mail.text).toMatch(new RegExp(`<p[^>]*>${code}</p>`))
    expect(mail.text).toMatch(/until \d+ \w+ 20\d\d at \d\d:\d\d UTC/)
    const session = await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password: code })
    expect(session.status).toBe(200)
  })

  it('leaves once for every call, in their order', async () => {
    const mails = await startMailServer()
    const user_uuid = await ask('ana@demo.test')
    for (let time = 0; time < 2; time++) await sandbox.service('POST', '/auth/login', { user_uuid })
    await until(() => mails.received.length === 3, 'three mails')
    const codes = (await mailbox('ana@demo.test')).map(({ code }: { code: string }) => code)
    for (const [index, mail] of mails.received.entries()) expect(mail.text).toContain(codes[index])
  })

  it('is signed in with the user and password of the address, and over TLS where the server offers it', async () => {
    const mails = await startMailServer({
      authOptional: false,
      disabledCommands: [],
      onAuth({ username, password }, _session, done) {
        if (username === 'rampart' && password === 'p@ss') done(null, { user: username })
        else done(refusal(535, '5.7.8 bad credentials'))
      },
    })
    const own = await startTestSandbox({
      SANDBOX_SMTP_URL: `smtp://rampart:p%40ss@127.0.0.1:${port}?tls.rejectUnauthorized=false`,
    })
    onTestFinished(own.stop)
    sandbox = own
    await ask('ana@demo.test')
    const mail = await until(() => mails.received[0], 'the mail')
    expect(mail).toMatchObject({ user: 'rampart', secure: true, to: ['ana@demo.test'] })
  })

  it('waits for a server that is away, and leaves when it is back', async () => {
    await ask('ana@demo.test')
    expect(await mailbox('ana@demo.test')).toMatchObject([{ bounced: false }])
    await until(async () => Number(await failures()) > 0, 'a try that failed')
    const mails = await startMailServer()
    await until(() => mails.received[0], 'the mail', 30_000)
    expect(mails.received[0]?.text).toContain(await sandbox.lastCode('ana@demo.test'))
  })

  it('leaves after the next start when the server hung until this one stopped', async () => {
    let open = 0
    const hung = net.createServer((socket) => {
      open++
      socket.on('error', () => {}).on('close', () => open--)
    })
    await once(hung.listen(port, '127.0.0.1'), 'listening')
    const own = await createSandboxDatabase()
    const env = readEnv(testVariables(own.url, { SANDBOX_SMTP_URL: `smtp://127.0.0.1:${port}` }))
    const first = await startSandbox(env)
    sandbox = createTestCaller(first.port)
    await ask('ana@demo.test')
    await until(() => open === 1, 'the mail to be under way')
    await first.stop()
    await until(() => open === 0, 'the end of the connection')
    hung.close()

    const mails = await startMailServer()
    const second = await startSandbox(env)
    sandbox = createTestCaller(second.port)
    await until(() => mails.received[0], 'the mail', 30_000)
    expect(mails.received[0]?.text).toContain(await sandbox.lastCode('ana@demo.test'))
    await second.stop()
    await own.drop()
  })

  it('leaves once when the server takes its time to confirm it', async () => {
    const slow = await useScript({ untilText: 3_000, forText: 60_000 })
    slow.play((line) => (line === '.' ? sleep(4_000, undefined) : undefined))
    await ask('ana@demo.test')
    await until(async () => (await failures()) === undefined, 'the end of the mail', 30_000)
    expect(slow.received.map(({ to }) => to)).toEqual([['ana@demo.test']])
  })

  it.each([
    ['never confirms it', () => new Promise<null>(() => undefined)],
    ['closes the connection before it confirms it', () => null],
    ['dribbles its confirmation', dribble],
  ])('leaves once when the server %s, and so does the next', async (_case, answer) => {
    const slow = await useScript({ untilText: 10_000, forText: 1_000 })
    let texts = 0
    slow.play((line, socket) => (line === '.' && texts++ === 0 ? answer(line, socket) : undefined))
    await ask('ana@demo.test')
    await ask('bo@demo.test')
    await until(() => slow.received.length > 1, 'the next mail', 30_000)
    await until(async () => (await failures()) === undefined, 'the end of both mails', 30_000)
    expect(slow.received.flatMap(({ to }) => to)).toEqual(['ana@demo.test', 'bo@demo.test'])
    expect(await mailbox('ana@demo.test')).toMatchObject([{ bounced: false }])
  })

  it('leaves again when the server refuses its text for now', async () => {
    const slow = await useScript({ untilText: 10_000, forText: 10_000 })
    let texts = 0
    slow.play((line) => (line === '.' && texts++ === 0 ? '451 4.3.0 later' : undefined))
    await ask('ana@demo.test')
    await until(() => slow.received.length === 2, 'the second try', 30_000)
  })

  it.each(['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA'])(
    'leaves after a server dribbled its answer to %s, as does the next',
    async (step) => {
      const slow = await useScript({ untilText: 1_500, forText: 60_000 })
      let begun = 0
      slow.play((line, socket) =>
        line.startsWith(step) && begun++ === 0 ? dribble(line, socket) : undefined,
      )
      await ask('ana@demo.test')
      await until(() => begun > 0, 'the first try')
      await ask('bo@demo.test')
      await until(() => slow.received.length > 1, 'both mails', 30_000)
      expect(slow.received.flatMap(({ to }) => to).toSorted()).toEqual(['ana@demo.test', 'bo@demo.test'])
    },
  )

  it.each([
    ['a server that refuses for now', refusal(451, '4.3.0 later')],
    ['a server that does not take our sender', refusal(550, '5.7.1 not you')],
  ])('does not bounce at %s', async (_case, answer) => {
    let refusals = 0
    const mails = await startMailServer({
      onMailFrom: (_address, _session, done) => done(refusals++ === 0 ? answer : null),
    })
    await ask('ana@demo.test')
    await until(() => mails.received[0], 'the mail', 30_000)
    expect(await mailbox('ana@demo.test')).toMatchObject([{ bounced: false }])
  })

  it('is given up when its code has expired', async () => {
    await startMailServer({
      onMailFrom: (_address, _session, done) => done(refusal(451, 'later')),
    })
    await ask('ana@demo.test')
    await until(async () => Number(await failures()) > 0, 'a try that failed')
    await sandbox.control('POST', '/clock/advance', { seconds: 600 })
    await until(async () => (await failures()) === undefined, 'no further try', 30_000)
    expect(await mailbox('ana@demo.test')).toMatchObject([{ bounced: false }])
  })

  it.each([
    ['the recipient', 'gone@demo.test', '550 5.1.1 nobody here'],
    ['the mail', 'refuse-me@demo.test', '554 5.7.1 no such content'],
  ])('bounces when the server refuses %s for good', async (_case, email, reply) => {
    await startMailServer({
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('gone@') ? refusal(550, '5.1.1 nobody here') : null),
    })
    const receiver = await startTestReceiver()
    await sandbox.createEndpoint(receiver.url, { subscribed_events: ['otpNotification'] })
    const uuid = await ask(email)
    const delivery = await until(() => receiver.received[0], 'the bounce')
    expect(JSON.parse(delivery.body)).toEqual({
      type: 'otpNotification',
      subType: 'EMAIL_DELIVERY_FAILED',
      uuid,
      data: {
        failureType: 'Permanent',
        emailAddress: email,
        diagnosticCode: `smtp; ${reply}`,
        timestamp: expect.stringMatching(/Z$/),
      },
    })
    expect(await mailbox(email)).toMatchObject([{ bounced: true }])
    const user_uuid = uuid
    const one_time_password = await sandbox.lastCode(email)
    expect((await sandbox.service('POST', '/auth/otp/', { user_uuid, one_time_password })).status).toBe(200)
    await receiver.stop()
  })

  it('to an address that ends in .invalid bounces without leaving', async () => {
    const mails = await startMailServer()
    await ask('gone@demo.INVALID')
    await ask('ana@demo.test')
    await until(() => mails.received.length > 0, 'the other mail')
    expect(mails.received.map(({ to }) => to)).toEqual([['ana@demo.test']])
    expect(await mailbox('gone@demo.invalid')).toMatchObject([{ bounced: true }])
  })

  it('puts no code and no address into the log, however much is logged and whatever fails', async () => {
    const spelled = 'later@bücher.test, later@xn--e1afmkfd.xn--p1ai, later@[10.0.0.7]'
    const mails = await startMailServer({
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith('gone@')) done(refusal(550, '5.1.1 nobody here'))
        else done(address.startsWith('later@') ? refusal(451, `4.3.0 later <${address}> ${spelled}`) : null)
      },
    })
    const own = await createSandboxDatabase()
    const settings = { SANDBOX_SMTP_URL: `smtp://127.0.0.1:${port}`, SANDBOX_LOG_LEVEL: 'trace' }
    const child = fork(new URL('../main.ts', import.meta.url), {
      env: { ...process.env, ...testVariables(own.url, settings) },
      silent: true,
      execArgv: [],
    })
    let log = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk
    })
    await once(child, 'message')
    const ownPort = await until(() => log.match(/"port":(\d+)/)?.[1], 'the port')
    sandbox = createTestCaller(Number(ownPort))
    for (const email of ['ana@demo.test', 'gone@demo.test', 'later@bücher.test']) await ask(email)
    await until(() => mails.received[0], 'the mail')
    await until(async () => (await mailbox('gone@demo.test'))[0].bounced, 'the bounce')
    await until(() => log.includes('4.3.0 later'), 'the failed try')
    const codes = (await sandbox.control('GET', '/mailbox')).body.map(({ code }: { code: string }) => code)
    child.kill('SIGTERM')
    await once(child, 'exit')
    await own.drop()
    expect(codes).toHaveLength(3)
    for (const code of codes) expect(log).not.toMatch(new RegExp(`\\b${code}\\b`))
    expect(log).toContain('4.3.0 later <[e-mail]> [e-mail], [e-mail], [e-mail]')
    expect(log).not.toMatch(/(ana|gone|later)@/)
    expect(log).toContain('mail sent')
    expect(log).toContain('mail bounced')
  })
})

/** The count says how often the waiting mail failed. It is undefined when no mail waits. */
async function failures() {
  const { rows } = await database.query<{ attempts: number }>(
    `SELECT attempts FROM graphile_worker.jobs WHERE task_identifier = 'mail'`,
  )
  return rows[0]?.attempts
}
