import fs from 'node:fs'
import http from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { startCheckingChain } from '#lib/audit/check-chain.ts'
import { readHeads, readOwnLog } from '#lib/audit/heads.ts'
import { startNoticeMailer } from '#lib/audit/notices/notice-mailer.ts'
import { closeIngest, ingest, startBeginning } from '#lib/deliveries/ingest/ingest.ts'
import { handleDelivery } from '#lib/deliveries/ingest/node-http.ts'
import { startHeartbeat } from '#lib/endpoints/gaps/heartbeat.ts'
import { providerFault } from '#lib/identity/single-sign-on/provider.ts'
import { asksForStream, type LiveProcess, startLiveProcess } from '#lib/live/live-process.ts'
import { startAlerts, writeAlertMail } from '#lib/operations/alerts/run-alerts.ts'
import { openInstallationMetrics, openProcessReports } from '#lib/operations/probes/installation-metrics.ts'
import { answerProbe, openReadiness } from '#lib/operations/probes/probes.ts'
import { noticeRestore } from '#lib/operations/restore/notice-restore.ts'
import { startWatcher } from '#lib/operations/watcher/watcher.ts'
import { startUserReader } from '#lib/people/lookup/user-reader.ts'
import { mayChangeAudit } from '#lib/platform/db/application-role.ts'
import {
  checkDatabases,
  checkDurability,
  hearsNotifications,
  startCheckingDurability,
} from '#lib/platform/db/check-databases.ts'
import { listener } from '#lib/platform/db/listen.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import type { ProcessRole } from '#lib/platform/env/variables.ts'
import { env, readDatabaseSettings } from '#lib/platform/env.ts'
import {
  endWith,
  passToNext,
  pathOf,
  refuse,
  refuseBrokenHttp,
  type Within,
} from '#lib/platform/http/before-next.ts'
import { openPort } from '#lib/platform/http/open-port.ts'
import {
  answerBrokenHttp,
  isAmbiguous,
  isPlainDelivery,
  meantTarget,
} from '#lib/platform/http/refusal-of-request.ts'
import { newNonce, pageHeaders } from '#lib/platform/http/security-headers.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { logOf } from '#lib/platform/log.ts'
import { mailServerFault } from '#lib/platform/mail/hand-over.ts'
import { formatMetrics, measurePools, measureProcess } from '#lib/platform/metrics.ts'
import { logStart } from '#lib/platform/release.ts'
import { noteRequestId, requestIdOf, startTracing, traceRequest } from '#lib/platform/tracing.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { noteLostMonths, sayLost } from '#lib/timeline/projector/lost-months.ts'
import { headUrlFault, startGivingHeads } from './lib/audit/heads.ts'
import { followApiKey } from './lib/endpoints/service-key/change-api-key.ts'
import { announceRefusedKey, serviceFault } from './lib/endpoints/service-key/service-state.ts'
import { ensureAdmins } from './lib/identity/members/lock-team.ts'
import { writeDenied } from './lib/identity/sessions/denied-requests.ts'
import { closePoolByIndex, closeReplica } from './lib/platform/db/read-pools.ts'
import { bindDatabase } from './lib/platform/db/which-database.ts'
import { captureConsole } from './lib/platform/log/create-log.ts'
import { noting } from './lib/platform/log/limited.ts'
import { currentRequest, inRequest } from './lib/platform/log.ts'
import { keepRows } from './lib/platform/settings/settings.ts'

const log = logOf('server')

// This process answers: deliveries before Next sees them, and everything else through Next. `projector.ts` folds deliveries,
// and `live.ts` holds the live streams, each in a process of its own.

const stops: (() => Promise<unknown>)[] = []
/** The set holds the answers in progress, except those whose connection was handed over. */
const underWay = new Set<http.ServerResponse>()
/** An upgraded connection never ends by itself. */
const upgraded = new Set<Duplex>()
/** The values are readings of the monotonic clock. They are null while the server takes requests without an end in sight. */
let stoppingSince: number | null = null
let closedAt: number | null = null
let requestedAt = performance.now()
/**
 * The shutdown waits at most this many milliseconds, for example for a database that does not answer. Every answered
 * delivery is already committed.
 */
const mostForStop = 10_000

/**
 * The values are milliseconds. A proxy may reuse an idle connection, and what it sends while the server closes it is lost,
 * so the proxy must close first. A connection without a first request counts as slow headers. Decision 0123.
 */
const patience = { keepAliveTimeout: 620_000, headersTimeout: 125_000 }

/**
 * The values are milliseconds. A stopping server takes requests until none came for `quiet`, and at most for `longest`. Each
 * answer then closes its connection, so the proxy sends nothing on a connection that is being closed.
 */
const draining = { quiet: 300, longest: 3_000 }

const unprotectedAudit =
  'The audit is not protected: the role of DATABASE_URL could change what it says. Give DATABASE_MIGRATE_URL another role, which owns the tables; see docs/configure.md'

/** The start waits at most this many milliseconds for another service to answer. */
const mostForOutsideMs = 4_000

const throughPooler =
  'no notification comes (LISTEN), so news are seconds late and another API key is not taken over. Give an address of the database past the pooler.'

/** A send fails only when the parent process has ended, and then this process ends too. */
const leaveToDisconnect = () => undefined

process.on('SIGTERM', () => void stop(0, true))
process.on('SIGINT', () => void stop(0, true))
process.on('disconnect', () => void stop()) // The parent process has ended.
process.on('uncaughtException', endUnexpectedly)
process.on('unhandledRejection', (reason) => {
  // The error belongs to a page that was given up: other work for it was in progress, and nothing else depends on that work.
  if (currentRequest().request !== undefined)
    return log.error({ err: reason }, 'Nobody waited for a failure any more')
  return endUnexpectedly(reason)
})

try {
  await start()
  process.send?.({ kind: 'ready' })
  // The parent process ends a process that stops sending this.
  setInterval(() => process.send?.({ kind: 'alive' }, undefined, undefined, leaveToDisconnect), 2_000).unref()
} catch (error) {
  log.fatal({ err: error }, 'The server did not start')
  const line = messageOfError(error)
  process.send?.({ kind: 'failed', line }, () => process.exit(1)) ?? process.exit(1)
}

async function start() {
  const { dev, serviceBaseUrl, sandboxUrl, roles } = env()
  const does = (...some: ProcessRole[]) => some.some((role) => roles.includes(role))
  logStart('server')
  await startTracing('server')
  measureProcess()
  measurePools(() => ({ pages: globalThis.rampartPool, ingest: globalThis.rampartIngest?.pool }))
  await requireDatabases()
  if (await mayChangeAudit(pool())) log.warn(unprotectedAudit)
  await bindDatabase(pool(), sandboxUrl ? 'sandbox' : serviceBaseUrl.href)
  await checkDurability(pool(), env().isDurabilityAssured)
  await noticeRestore(pool(), readHeads(env().keys, readOwnLog(readDatabaseSettings().dataDir)).heads)
  const lost = await noteLostMonths(pool())
  if (lost.length > 0) log.error({ months: lost }, sayLost(lost))
  const server = http.createServer({
    ...patience,
    // Only hot reloading in development upgrades a connection. Otherwise nobody would ever answer such a request.
    shouldUpgradeCallback: () => dev,
    // `isAmbiguous` refuses a request without a host, and says why.
    requireHostHeader: false,
  })
  server.on('upgrade', (_request, socket) => {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
  })
  server.on('clientError', refuseBrokenHttp)
  server.on('connect', (_request, socket) => endWith(socket, answerBrokenHttp({ code: 'CONNECT' })))
  server.on('checkExpectation', (_request, response) => refuse(response, 417))
  const handle = does('web') ? await prepareNext(server) : null
  await followApiKey(pool(), listener())
  const outside = warnOfOutside()
  announceRefusedKey(pool())
  if (does('web')) await ensureAdmins()
  // The live process starts before the first page opens, so that it misses nothing. Pages read their start themselves where
  // another machine holds the streams.
  const live = does('live') ? await startLiveProcess() : null
  if (live) globalThis.rampartPageStart = live
  keepRows(listener())
  const probes = openProbes(live)
  const files = new Set(fs.readdirSync('public').map((name) => `/${name}`))
  server.on('request', (request, response) => {
    if (live?.has(request.socket)) return
    traceRequest(request, response, () => answer(request, response))
  })
  const answer = (request: http.IncomingMessage, response: http.ServerResponse) => {
    keepTrack(response)
    requestedAt = performance.now()
    if (stoppingSince !== null) response.shouldKeepAlive = false
    const isPlain = isPlainDelivery(request.url)
    if (!isPlain) request.url = meantTarget(request)
    const ambiguous = isAmbiguous(request, isPlain)
    if (!ambiguous && does('receiver') && handleDelivery(request, response)) return
    const id = requestIdOf(request)
    response.setHeader('x-request-id', id)
    noteRequestId(id)
    // A body arrives outside of the work that waits for it.
    const within: Within = (work) => inRequest({ request: id, path: pathOf(request) }, work)
    within(() => {
      if (ambiguous) refuse(response, 400)
      else if (answerProbe(request, response, probes)) return
      else if (asksForStream(request)) answerStream(request, response)
      else if (handle && (does('receiver') || !isDelivery(request)))
        passToNext(request, response, { within, handle, files })
      else refuse(response, 404)
    })
  }
  const answerStream = (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (!live) return refuse(response, 404)
    underWay.delete(response)
    for (const [name, value] of Object.entries(pageHeaders(newNonce()))) response.setHeader(name, value)
    // Another server can hold it for longer.
    if (stoppingSince === null) live.take(request, response)
    else live.refuse(response)
  }
  // The error message names the wrong keys in the log.
  const beginning = await startBeginning(ingest(), does('receiver'))
  const { port, listen: host } = env()
  const closePort = await openPort(server, { port, host })
  const heartbeat = does('receiver') ? await startHeartbeat(ingest().pool) : null
  const durability = startCheckingDurability(pool(), env().isDurabilityAssured)
  const rounds = does('projector') ? await startRoundsOfWork() : []
  const alerts = startAlerts(pool(), {
    measures: does('projector'),
    dataDir: readDatabaseSettings().dataDir,
    liveSilentMs: () => live?.silentMs() ?? null,
    serviceClockMs: (withinMs) => serviceClient().clock.offsetMs(withinMs),
  })
  await outside
  stops.push(
    // Streams end when nobody can come back to this server.
    () => close(server, closePort),
    async () => live?.stop(),
    async () => heartbeat?.stop(performance.now() - (closedAt ?? performance.now())),
    ...rounds,
    () => alerts.stop(),
    () => durability.stop(),
    () => beginning.stop(),
    closeIngest,
    () => writeDenied(),
    () =>
      Promise.all([
        listener().close(),
        prisma().$disconnect(),
        closeReplica(),
        closePoolByIndex(),
        pool().end(),
      ]),
  )
}

/** One process of an installation does this work at a time, beside the projectors. The result stops it. */
async function startRoundsOfWork(): Promise<(() => Promise<unknown>)[]> {
  const heads = await startGivingHeads(pool(), listener())
  const stopChecking = startCheckingChain(pool())
  const watcher = startWatcher(pool())
  const noticeMailer = startNoticeMailer(pool(), listener(), {
    writeAlerts: (mail) => writeAlertMail(pool(), mail),
  })
  const userReader = startUserReader(pool(), listener(), serviceClient())
  return [
    () => watcher.stop(),
    () => noticeMailer.stop(),
    async () => stopChecking(),
    () => heads.stop(),
    () => userReader.stop(),
  ]
}

/** Next has the API route too, for hosts without this server. */
const isDelivery = ({ url = '' }: http.IncomingMessage) => url.startsWith('/api/webhooks/')

/** Next needs most of the time and memory of a start, so it is loaded only for pages. */
async function prepareNext(server: http.Server) {
  const { dev, port } = env()
  // Next writes its messages with `console`.
  captureConsole(logOf('next'))
  const { default: next } = await import('next')
  const app = next({ dev, hostname: 'localhost', port, httpServer: server })
  await app.prepare()
  return app.getRequestHandler()
}

/** The other processes of this start tell the server what they have measured. */
function openProbes(live: LiveProcess | null) {
  const shared = openInstallationMetrics(pool(), readDatabaseSettings().dataDir)
  const reports = openProcessReports('server')
  live?.onMetrics((metrics) => reports.take('live', metrics))
  process.on('message', (received) => {
    const report = ReportSchema.safeParse(received).data
    if (report) reports.take(report.process, report.metrics)
  })
  return {
    readReasons: openReadiness({
      pool: pool(),
      keys: () => ingest().keys,
      isStopping: () => stoppingSince !== null,
    }),
    async readMetrics() {
      await shared.refresh()
      return formatMetrics(await reports.read(), shared.registry)
    },
  }
}

/** The parent process passes on what a projector has measured. */
const ReportSchema = z.object({ kind: z.literal('metrics'), process: z.string(), metrics: z.unknown() })

async function requireDatabases() {
  const { databaseUrl, databaseDirectUrl, databaseReadUrl, databaseConnections } = env()
  const addresses = {
    DATABASE_URL: databaseUrl,
    DATABASE_DIRECT_URL: databaseDirectUrl,
    DATABASE_READ_URL: databaseReadUrl,
  }
  // `checkDatabases` has already written the reason to the terminal.
  await checkDatabases(addresses, (line) => log.warn(line), databaseConnections)
}

/** Each service that does not answer gets one line in the log. Rampart starts without it and keeps asking. */
async function warnOfOutside() {
  const { databaseUrl, databaseDirectUrl } = env()
  const checks = {
    SERVICE_BASE_URL: serviceFault,
    SMTP_URL: mailServerFault,
    OIDC_ISSUER: providerFault,
    AUDIT_HEAD_URL: headUrlFault,
    DATABASE_DIRECT_URL: async () =>
      (await hearsNotifications(pool(), databaseDirectUrl))
        ? null
        : databaseDirectUrl === databaseUrl
          ? `DATABASE_DIRECT_URL is missing, or leads where DATABASE_URL does: ${throughPooler}`
          : `DATABASE_DIRECT_URL leads through a pooler: ${throughPooler}`,
  }
  await Promise.all(
    Object.entries(checks).map(async ([variable, check]) => {
      const late = `${variable}: no answer came within ${mostForOutsideMs / 1000} s.`
      const line = await inTime(check(), mostForOutsideMs, late).catch(
        (error: unknown) => `${variable}: ${messageOfError(error)}`,
      )
      if (line === null) return
      log.warn(line)
      process.send?.({ kind: 'warned', line })
    }),
  )
}

/** An unexpected error may have left other work undone, so the process ends and its parent starts it again. */
function endUnexpectedly(error: unknown) {
  log.fatal({ err: error }, 'The server ends by an error that nobody expected')
  void stop(1)
}

/**
 * The server stops taking requests, writes what it accepted, and then closes the database.
 * @param drains whether proxies are first given time to send nothing more here
 */
async function stop(code = 0, drains = false) {
  if (stoppingSince !== null) return
  stoppingSince = performance.now()
  setTimeout(() => {
    log.error('Stopped without an end of everything under way: something did not answer')
    process.exit(1)
  }, mostForStop)
  if (drains && stops.length > 0 && !env().dev) await drainRequests(stoppingSince + draining.longest)
  closedAt = performance.now()
  for (const step of stops) await step().catch(noting(log)('error', 'A part had no orderly end'))
  process.exit(code)
}

function keepTrack(response: http.ServerResponse) {
  underWay.add(response)
  response.once('close', () => underWay.delete(response))
}

async function drainRequests(until: number) {
  for (const response of underWay) response.shouldKeepAlive = false
  const isBusy = () => underWay.size > 0 || performance.now() - requestedAt < draining.quiet
  while (isBusy() && performance.now() < until) await sleep(20)
}

/**
 * Upgraded connections are cut, and requests in progress get up to 5 s. Node does not report a closed server when
 * the process that took over its connections has ended.
 */
async function close(server: http.Server, closePort: () => void) {
  for (const socket of upgraded) socket.destroy()
  closePort()
  const until = performance.now() + 5_000
  while (underWay.size > 0 && performance.now() < until) await sleep(20)
  server.closeAllConnections()
}
