import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

import { z } from 'zod'
import { freePort } from '../../../bin/postgres.ts'
import type { Caller } from '../../../lib/access/caller.ts'
import { AddAlertChannelSchema, addAlertChannel } from '../../../lib/operations/alerts/alert-channels.ts'
import { ChangeAlertRuleSchema, changeAlertRule } from '../../../lib/operations/alerts/alert-rules.ts'
import { defaultRule } from '../../../lib/operations/rules/alert-changes.ts'
import type { ConditionCode } from '../../../lib/operations/rules/alert-conditions.ts'
import { callerWith, newBrowser } from '../../../test/callers.ts'
import { makeAuthority } from '../../../test/certificates.ts'
import { startMailServer, type TestMail } from '../../../test/mail-server.ts'
import { startCommand } from '../../../test/rampart-command.ts'
import { childOf, type Process, processOf } from '../faults/process.ts'
import { openTestBed, sleep, type TestBed } from '../faults/test-bed.ts'
import { type HookSink, startHookSink } from './sinks.ts'

/**
 * The stage is an installation in processes of its own: a server with its live process, a projector, the sandbox as the
 * service, and behind a proxy with TLS the public address. A mail server and a server of webhooks keep what they are sent.
 */
export interface AlertStage {
  readonly ask: TestBed['ask']
  readonly database: TestBed['database']
  readonly url: string
  readonly server: Process
  /** The process measures and sends, and so does the replica, once it is started. */
  readonly measuring: Process
  readonly replica: Process
  readonly projector: Process
  readonly service: Process
  /** The service has another API key. */
  readonly strictService: Process
  /** The disk has the data directory, and is small where this machine lets us mount one. */
  readonly disk: { readonly folder: string; readonly isSmall: boolean }
  readonly hooks: HookSink
  readonly mails: MailSink
  /** True when stored times are moved, so that nothing waits for others. */
  readonly isQuick: boolean
  livePid(): number
  /** The proxy of the public address gets a certificate that is valid for so many days. */
  certify(days: number): void
  changeRule(
    condition: ConditionCode,
    given: { readonly threshold?: number; readonly enabled?: boolean },
  ): Promise<void>
  /** The sandbox's control interface reads, or changes something when it has a body. */
  control(call: string, body?: object): Promise<unknown>
  callService(method: string, path: string, body?: object): Promise<unknown>
  /** The request goes to the server as a delivery, past the proxy. */
  deliver(receiverId: string, body: object, authorization?: string): Promise<number>
  runCommand(...words: string[]): Promise<string>
  /** The maintenance runs once, as the supervisor runs it from time to time. */
  maintain(): Promise<void>
  /** Slow conditions are measured again in the next round. */
  checkAgain(): Promise<void>
  /** Alerts and messages until now are forgotten, and rules are the defaults again. No alert may fire. */
  forget(): Promise<void>
  log(): string
  close(): Promise<void>
}

/** A mail server goes away and comes back at the same port. */
interface MailSink {
  received(): readonly TestMail[]
  forget(): void
  goAway(): Promise<void>
  comeBack(): Promise<void>
}

/** The admin signs in again before each action, because a sign-in is fresh for minutes and a proof lasts for an hour. */
export const admin: Caller = {
  ...callerWith('admin', { name: 'Kim Admin', email: 'kim@example.com' }),
  get signedInAt() {
    return new Date().toISOString()
  },
}
export const browser = newBrowser()
export const reason = 'a proof wants it'

/** This machine has a public address with this name, where the proof has a network of its own. */
export const publicSink = { name: 'sinks.example.com', address: '9.9.9.9' } as const

/**
 * @param isQuick the rounds of work come each second, and stored times are moved
 * @param isReal the service counts as a real one, and the channels are at `publicSink`
 */
export async function openAlertStage({
  isQuick,
  isReal,
}: {
  readonly isQuick: boolean
  readonly isReal: boolean
}): Promise<AlertStage> {
  const bed = await openTestBed('alerts')
  const closing: (() => Promise<unknown> | unknown)[] = [bed.close]
  const close = async () => {
    for (const step of closing.reverse()) await step()
  }
  try {
    await bed.ask('CREATE DATABASE sandbox')
    const [port, replicaPort, servicePort, mailPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    const authority = makeAuthority()
    const hooks = await startHookSink(isReal ? authority.certify(publicSink.name) : null)
    closing.push(hooks.stop)
    const mails = openMailSink(mailPort)
    await mails.comeBack()
    closing.push(mails.goAway)
    const proxy = await startProxy(port, authority)
    closing.push(proxy.stop)
    const disk = mountSmallDisk(path.join(bed.folder, 'data'))
    closing.push(disk.unmount)
    const authorityFile = path.join(bed.folder, 'authority.pem')
    fs.writeFileSync(authorityFile, authority.cert)
    const apiKey = crypto.randomUUID()
    const serviceUrl = `http://localhost:${servicePort}`
    const settings = {
      NODE_ENV: 'production',
      PORT: String(port),
      PUBLIC_URL: proxy.url,
      RAMPART_DATA_DIR: disk.folder,
      DATABASE_URL: bed.url,
      DATABASE_DURABILITY: 'assured',
      SERVICE_BASE_URL: `${serviceUrl}/onboarding`,
      SERVICE_API_KEY: apiKey,
      // The channels are on this machine, where Rampart posts to the receiver of the sandbox alone.
      ...(isReal ? {} : { RAMPART_SANDBOX_URL: `http://127.0.0.1:${hooks.port}` }),
      NEXTAUTH_SECRET: 'only for a proof on this one machine',
      RAMPART_KEYS: bed.keys,
      STAFF_SIGN_IN: 'any',
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      MAIL_FROM: 'Rampart <rampart@example.com>',
      NODE_EXTRA_CA_CERTS: authorityFile,
      ROLE: isQuick ? 'receiver,live' : 'receiver,projector,live',
    }
    // Use cases of admins run in this process.
    const own = { ...process.env }
    Object.assign(process.env, settings)
    globalThis.rampartEnv = undefined
    closing.push(() => {
      process.env = own
    })
    const logFile = path.join(bed.folder, 'rampart.log')
    const program = (
      file: string,
      more: Readonly<Record<string, string>> = {},
      words: readonly string[] = [],
    ) => {
      const made = processOf(`../../../${file}`, words, { ...settings, ...more }, logFile)
      closing.push(() => made.kill('SIGKILL'))
      return made
    }
    const service = (key: string) =>
      program('sandbox/main.ts', {
        SANDBOX_PORT: String(servicePort),
        SANDBOX_DATABASE_URL: bed.url.replace(/rampart$/, 'sandbox'),
        SANDBOX_API_KEY: key,
      })
    const [ours, strict] = [service(apiKey), service(crypto.randomUUID())]
    const server = answering(program('server.ts'), port)
    const projector = program('projector.ts')
    const roundsFile = 'proofs/prove/alerts/rounds.ts'
    const rounds = program(roundsFile)
    const replica = isQuick
      ? program(roundsFile)
      : answering(program('server.ts', { PORT: String(replicaPort) }), replicaPort)
    const maintain = async () => {
      const run = program('bin/maintain.ts', {}, ['months'])
      await run.start()
      await run.ended()
    }
    closing.push(async () => {
      await globalThis.rampartPrisma?.$disconnect()
      await globalThis.rampartPool?.end()
      globalThis.rampartPool = undefined
      globalThis.rampartPrisma = undefined
    })
    await ours.start()
    // A month that is missing would fire beside the conditions that a proof causes.
    await maintain()
    await bed.ask(
      `INSERT INTO member (id, name, role, email, joined_at) VALUES (gen_random_uuid(), 'Kim', 'admin', $1, now())`,
      [admin.email],
    )
    const secret = await addChannels(
      isReal ? `https://${publicSink.name}:${hooks.port}` : `http://127.0.0.1:${hooks.port}`,
    )
    hooks.trust(secret)
    const restartRounds = async () => {
      await rounds.kill('SIGTERM')
      await bed.ask(`DELETE FROM lease WHERE name IN ('alerts', 'watcher')`)
      await rounds.start()
    }
    await server.start()
    await projector.start()
    if (isQuick) await rounds.start()
    return {
      ask: bed.ask,
      database: bed.database,
      url: bed.url,
      server,
      measuring: isQuick ? rounds : server,
      replica,
      projector,
      service: ours,
      strictService: strict,
      disk,
      hooks,
      mails,
      isQuick,
      livePid: () => childOf(childOf(process.pid, path.resolve('server.ts')), 'live.ts'),
      certify: proxy.certify,
      async changeRule(condition, given) {
        const { threshold, enabled } = { ...defaultRule(condition), ...given }
        const form = { condition, enabled: String(enabled), threshold, to: 'all', repeatHours: 4, reason }
        await changeAlertRule(admin, ChangeAlertRuleSchema.parse(form), browser)
      },
      control: (call, body) => askJson(`${serviceUrl}/_sandbox/${call}`, body && { method: 'POST', body }),
      callService: (method, at, body = {}) =>
        askJson(`${serviceUrl}/onboarding/${at}`, { method, body, headers: { authorization: apiKey } }),
      async deliver(receiverId, body, authorization) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/webhooks/${receiverId}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
          body: JSON.stringify(body),
        })
        await answer.arrayBuffer()
        return answer.status
      },
      async runCommand(...words) {
        const { code, output } = await startCommand(words, settings).ended
        if (code !== 0) throw new Error(`rampart ${words.join(' ')}: ${output}`)
        return output
      },
      maintain,
      checkAgain: async () => {
        if (isQuick) await restartRounds()
      },
      async forget() {
        await bed.ask('TRUNCATE alert, alert_news, alert_message, mail')
        // Refusals of the last quarter of an hour still count.
        await bed.ask(`DELETE FROM alert_rule WHERE condition <> 'sign-in-attacks'`)
        hooks.taken.length = 0
        mails.forget()
      },
      log: () => fs.readFileSync(logFile, 'utf8'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A server may warn of something before it takes requests. */
const answering = (server: Process, port: number): Process => ({
  ...server,
  async start() {
    await server.start()
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await waitFor(async () => ((await isUp()) ? null : 'an answer of the server'), 60)
  },
})

/** The channels are added as an admin does. The result is the secret of the signed webhook. */
async function addChannels(sink: string): Promise<string> {
  const added = []
  for (const kind of ['slack', 'teams', 'webhook', 'heartbeat'] as const) {
    const form = AddAlertChannelSchema.parse({
      kind,
      name: kind,
      address: `${sink}/receiver?${kind}`,
      reason,
    })
    added.push(await addAlertChannel(admin, form, browser))
  }
  return added.find(({ secret }) => secret !== null)?.secret ?? ''
}

function openMailSink(port: number): MailSink {
  let received: readonly TestMail[] = []
  let up: Awaited<ReturnType<typeof startMailServer>> | undefined
  const all = () => [...received, ...(up?.received ?? [])]
  return {
    received: all,
    forget() {
      received = []
      if (up) up.received.length = 0
    },
    async comeBack() {
      up = await startMailServer({ disabledCommands: ['STARTTLS'] }, port)
    },
    async goAway() {
      received = all()
      const stopping = up
      up = undefined
      await stopping?.stop()
    },
  }
}

/** The proxy takes requests by TLS and passes them on, as one of docs/proxies.md does. */
async function startProxy(port: number, authority: ReturnType<typeof makeAuthority>) {
  const certificateFor = (days: number) =>
    authority.certify('localhost', new Date(Date.now() + days * 86_400_000))
  // Rampart's promise to keep an idle connection open is passed on with its headers.
  const patience = { keepAliveTimeout: 620_000 }
  const server = https.createServer({ ...certificateFor(365), ...patience }, (request, response) => {
    const { method, url, headers } = request
    const onward = http.request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
    })
    onward.on('error', () => response.writeHead(502).end())
    request.pipe(onward)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    certify: (days: number) => server.setSecureContext(certificateFor(days)),
    async stop() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Root can mount a small file system in memory. For others the folder is on the ordinary disk. */
function mountSmallDisk(folder: string) {
  fs.mkdirSync(folder)
  const isRoot = process.getuid?.() === 0
  const words = ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]
  const isSmall = isRoot && spawnSync('mount', words).status === 0
  return { folder, isSmall, unmount: () => void (isSmall && spawnSync('umount', [folder])) }
}

async function askJson(
  url: string,
  given?: { readonly method: string; readonly body: object; readonly headers?: Record<string, string> },
): Promise<unknown> {
  const init = given && {
    method: given.method,
    headers: { 'content-type': 'application/json', ...given.headers },
    body: JSON.stringify(given.body),
  }
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  const text = await answer.text()
  return text === '' ? null : JSON.parse(text)
}

/** The wait lasts at most so many seconds. `missing` says what is missing, or null. */
export async function waitFor(missing: () => Promise<string | null>, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000
  for (;;) {
    const why = await missing()
    if (why === null) return
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${why}`)
    await sleep(250)
  }
}

export const EndpointsSchema = z.array(
  z.object({ uuid: z.string(), url: z.string(), signing_secret: z.string() }),
)
