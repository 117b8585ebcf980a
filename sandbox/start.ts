import { randomBytes } from 'node:crypto'
import { type Runner, type RunnerOptions, run, runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { z } from 'zod'
import { createApp } from './app.ts'
import { claimDatabase, migrate, openPool, queueSchemaOf } from './database/pool.ts'
import { createDeliverer, type Deliverer } from './deliveries/deliverer.ts'
import { type Env, StartError } from './env.ts'
import { listen } from './http/listen.ts'
import { createLoad, type SandboxWithLoad } from './load/load.ts'
import { createNamespaces, dropNamespaces, type Namespaces } from './namespaces.ts'
import { type MailPatience, mailPatience, sendMail } from './one-time-password/mail.ts'
import { playNextStep } from './scenarios/play.ts'
import { noteRefusal } from './service/refusal.ts'
import { createFaults } from './state/faults.ts'
import { createIds, seedAtStart } from './state/ids.ts'
import { createLog, type Log, queueLogger } from './state/log.ts'
import { createRefusals } from './state/refusals.ts'
import type { Sandbox } from './state/sandbox.ts'
import { createClock, queueDeliveries, readStoredClock } from './time/clock.ts'
import { createTimekeeper } from './time/timekeeper.ts'

interface Queue {
  stop(graceMs: number): Promise<void>
  /** The promise settles when the queue can no longer work. */
  readonly ended: Promise<void>
}

/** The queue is durable: retries and scenario steps wait in PostgreSQL, not in this process. */
async function startQueue(
  sandbox: Sandbox,
  deliverer: Deliverer,
  mailPatience: MailPatience,
): Promise<Queue> {
  const options: RunnerOptions = {
    pgPool: sandbox.pool,
    schema: queueSchemaOf(sandbox.schema),
    logger: queueLogger(sandbox.log),
    noHandleSignals: true,
    useNodeTime: true,
    parsedCronItems: [],
    taskList: {
      deliver: (payload) => deliverer.deliver(DeliverJobSchema.parse(payload).endpoint),
      play: (payload) => playNextStep(sandbox, payload),
      mail: (payload) => sendMail(sandbox, payload, mailPatience),
      wake: () => {},
    },
    preset: {
      worker: {
        concurrentJobs: maxConcurrentJobs,
        pollInterval: 200,
        localQueue: { size: maxConcurrentJobs },
        completeJobBatchDelay: 5,
        failJobBatchDelay: 5,
        gracefulShutdownAbortTimeout: 60_000,
      },
    },
  }
  await runMigrations(options)
  await recoverJobs(sandbox)
  const runner = await run(options)
  return { ended: runner.promise, stop: (graceMs) => stop(runner, graceMs) }

  async function stop(running: Runner, graceMs: number) {
    await deliverer.stop(graceMs)
    await running.stop()
  }
}

/** The queue runs at most this many jobs at once, almost all of them loops of one endpoint each. */
const maxConcurrentJobs = 256

const DeliverJobSchema = z.object({ endpoint: z.uuid() })

/**
 * A crashed process's job locks are void, since one process at a time uses the database. A job may be lost after its
 * delivery went to a running loop, so every endpoint with something due gets a new job.
 */
async function recoverJobs({ pool, clock }: Sandbox) {
  await pool.query(
    `SELECT force_unlock_workers(array_agg(DISTINCT locked_by))
     FROM jobs WHERE locked_by IS NOT NULL HAVING count(*) > 0`,
  )
  await queueDeliveries(pool, clock.now())
}

export interface RunningSandbox {
  readonly port: number
  readonly publicUrl: string
  /** The merchant's key is the given one, or one made for this run. */
  readonly apiKey: string
  readonly log: Log
  /** The sandbox stops taking requests, gives deliveries in progress up to 5 s, and then releases queue and database. */
  stop(): Promise<void>
  /** The promise settles when the sandbox cannot continue. */
  readonly ended: Promise<void>
}

export async function startSandbox(env: Env, patience: MailPatience = mailPatience): Promise<RunningSandbox> {
  const log = createLog(env.logLevel)
  const listener = await listen(env.port, env.options.requestTimeoutMs, env.listenOn).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL')
        throw new StartError(`${env.listenOn} is no address of this machine: change SANDBOX_LISTEN_ON`)
      if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
      const why = error.code === 'EACCES' ? 'may not be used by this user' : 'is taken'
      throw new StartError(`Port ${env.port} ${why}: stop what runs there, or set SANDBOX_PORT to another`)
    },
  )
  const claim = await claimDatabase(env.databaseUrl).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      `The database of SANDBOX_DATABASE_URL cannot be used: ${error.message || error.code}`,
    )
  })
  if (!claim)
    throw new StartError('Another sandbox runs on the database of SANDBOX_DATABASE_URL: stop it first')

  const publicUrl = (env.publicUrl ?? `http://localhost:${listener.port}/onboarding`).replace(/\/+$/, '')
  const apiKey = env.apiKey ?? `sandbox-${randomBytes(18).toString('base64url')}`
  const shared = { env, log, port: listener.port, publicUrl, patience }
  await dropNamespaces(env.databaseUrl)
  const broken = Promise.withResolvers<void>()
  const namespaces: Namespaces = createNamespaces(env.databaseUrl, apiKey, async (key, schema, seed) => {
    const namespace = await openSandbox(shared, namespaces, { apiKey: key, schema, seed: seed ?? env.seed })
    namespace.ended.catch(broken.reject)
    return namespace
  })
  const own = await openSandbox(shared, namespaces, { apiKey, schema: undefined, seed: env.seed })
  const sandboxOf = (request: Request) => namespaces.find(request.headers.get('authorization') ?? '') ?? own
  listener.answerWith(
    (request, bindings) => sandboxOf(request).fetch(request, bindings),
    (...refused) => noteRefusal(...refused, own.sandbox),
  )
  claim.lost.catch(broken.reject)
  log.info({ port: listener.port, publicUrl }, 'listening')

  return {
    port: listener.port,
    publicUrl,
    apiKey,
    log,
    ended: Promise.race([own.ended, broken.promise]),
    async stop() {
      own.letGo()
      await listener.close()
      await Promise.all([namespaces.stop(), own.stop()])
      await claim.release()
    },
  }
}

/** All namespaces of one process share these parts. */
interface Shared {
  readonly env: Env
  readonly log: Log
  readonly port: number
  readonly publicUrl: string
  readonly patience: MailPatience
}

/** An open sandbox has one API key with its tables, clock, queue and HTTP side. */
async function openSandbox(
  { env, log, port, publicUrl, patience }: Shared,
  namespaces: Namespaces,
  { apiKey, schema, seed }: { apiKey: string; schema: string | undefined; seed: number | undefined },
) {
  const pool = openPool(env.databaseUrl, {
    searchPath: schema && `${schema}, ${queueSchemaOf(schema)}`,
    max: schema ? connectionsOfNamespace : connections,
    // These connections stay open, because a dashboard on the same server may leave no free place later.
    ...(schema === undefined && { idleTimeoutMillis: 0 }),
    lost: (error) => log.error({ err: error }, 'database connection lost'),
  })
  if (schema === undefined) await takePlaces(pool)
  const { options, smtpUrl, controlHosts } = env
  await migrate(pool)
  const clock = createClock(await readStoredClock(pool))
  const ids = createIds(await seedAtStart(pool, seed))
  const stopping = new AbortController()
  const faults = createFaults(ids)
  const deliverer = createDeliverer({ pool, clock, log, options, faults })
  const { copiesSent } = deliverer
  const sandbox: SandboxWithLoad = {
    pool,
    clock,
    ids,
    time: createTimekeeper({ pool, clock, stopping: stopping.signal, copiesSent }),
    log,
    faults,
    refusals: createRefusals(log),
    options,
    apiKey,
    schema,
    smtpUrl,
    publicUrl,
    port,
    dashboardUrl: env.dashboardUrl?.replace(/\/+$/, ''),
    controlHosts,
    load: createLoad({ ids, log, stopping: stopping.signal }),
    stopping: stopping.signal,
  }
  const queue = await startQueue(sandbox, deliverer, patience)
  return {
    sandbox,
    fetch: createApp(sandbox, namespaces).fetch,
    ended: queue.ended,
    /** Every wait is aborted. */
    letGo: () => stopping.abort(),
    async stop() {
      stopping.abort()
      await sandbox.load.stop()
      await queue.stop(graceMs)
      await pool.end()
    },
  }
}

/** Deliveries in progress may take this long to finish when the sandbox stops. */
const graceMs = 5_000

/**
 * docs/scale.md states this number plus the connection that claims the database. Each namespace has its own connections
 * besides.
 */
const connections = 8
const connectionsOfNamespace = 4

/** All connections of the pool open at once. A connection that gets no place now opens when it is needed. */
async function takePlaces(pool: pg.Pool) {
  const opened = await Promise.allSettled(Array.from({ length: connections }, () => pool.connect()))
  for (const one of opened) if (one.status === 'fulfilled') one.value.release()
}
