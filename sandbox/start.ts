import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createApp } from './app.ts'
import { claimDatabase } from './database/claim.ts'
import { migrate } from './database/migrate.ts'
import type { Env } from './env.ts'
import { listen } from './http/listen.ts'
import { createLoad } from './load/load.ts'
import type { SandboxWithLoad } from './load/sandbox-with-load.ts'
import { startQueue } from './queue.ts'
import { noteRefusal } from './service/refusal.ts'
import { StartError } from './start-error.ts'
import { createFaults } from './state/faults.ts'
import { createIds, seedAtStart } from './state/ids.ts'
import { createLog, type Log } from './state/log.ts'
import { createRefusals } from './state/refusals.ts'
import { createClock } from './time/clock.ts'
import { readStoredClock } from './time/set-clock.ts'
import { createTimekeeper } from './time/timekeeper.ts'

export interface RunningSandbox {
  readonly port: number
  readonly publicUrl: string
  /** The merchant's key: the given one, or one made for this run. */
  readonly apiKey: string
  readonly log: Log
  /** Stops taking requests, lets deliveries under way finish for up to 5 s, then lets go of queue and database. */
  stop(): Promise<void>
  /** Settles when the sandbox cannot go on. */
  readonly ended: Promise<void>
}

export async function startSandbox(env: Env): Promise<RunningSandbox> {
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
      `The database of SANDBOX_DATABASE_URL cannot be reached: ${error.message || error.code}`,
    )
  })
  if (!claim)
    throw new StartError('Another sandbox runs on the database of SANDBOX_DATABASE_URL: stop it first')

  const pool = new pg.Pool({
    connectionString: env.databaseUrl,
    max: connections,
    // Kept for good: beside a dashboard on the same server there may be no place later.
    idleTimeoutMillis: 0,
    application_name: 'sandbox',
    // Times are read in this form alone, whatever the database sets.
    onConnect: async (client) => void (await client.query('SET DateStyle = ISO')),
  })
  const connectionLost = (error: Error) => log.error({ err: error }, 'database connection lost')
  pool.on('error', connectionLost)
  pool.on('connect', (client) => client.on('error', connectionLost))
  await takePlaces(pool)
  const publicUrl = (env.publicUrl ?? `http://localhost:${listener.port}/onboarding`).replace(/\/+$/, '')
  const { options, smtpUrl, controlHosts } = env
  const apiKey = env.apiKey ?? `sandbox-${randomBytes(18).toString('base64url')}`
  const dashboardUrl = env.dashboardUrl?.replace(/\/+$/, '')
  await migrate(pool)
  const clock = createClock(await readStoredClock(pool))
  const ids = createIds(await seedAtStart(pool, env.seed))
  const stopping = new AbortController()
  const { port } = listener
  const sandbox: SandboxWithLoad = {
    pool,
    clock,
    ids,
    time: createTimekeeper({ pool, clock, stopping: stopping.signal }),
    log,
    faults: createFaults(ids),
    refusals: createRefusals(log),
    options,
    apiKey,
    smtpUrl,
    publicUrl,
    port,
    dashboardUrl,
    controlHosts,
    load: createLoad({ ids, log, stopping: stopping.signal }),
    stopping: stopping.signal,
  }
  const queue = await startQueue(sandbox)
  listener.answerWith(createApp(sandbox).fetch, (...refused) => noteRefusal(...refused, sandbox))
  log.info({ port: listener.port, publicUrl }, 'listening')

  return {
    port: listener.port,
    publicUrl,
    apiKey,
    log,
    ended: queue.ended,
    async stop() {
      stopping.abort()
      await listener.close()
      await sandbox.load.stop()
      await queue.stop(graceMs)
      await pool.end()
      await claim.release()
    },
  }
}

/** How long deliveries under way may take to finish when the sandbox stops. */
const graceMs = 5_000

/** With the one that claims the database: docs/operating.md says how many. */
const connections = 8

/** Opens all connections of the pool; those for which there is no place now are opened when they are needed. */
async function takePlaces(pool: pg.Pool) {
  const opened = await Promise.allSettled(Array.from({ length: connections }, () => pool.connect()))
  for (const one of opened) if (one.status === 'fulfilled') one.value.release()
}
