import { type FSWatcher, watch } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkDatabases, requireMayMigrate } from '#lib/platform/db/check-databases.ts'
import { requireReachable } from '#lib/platform/db/require-reachable.ts'
import type { ProcessRole } from '#lib/platform/env/variables.ts'
import { defaultPublicUrl, warningsOf } from '#lib/platform/env/warnings.ts'
import { connectionRange, readStartSettings, type StartSettings } from '#lib/platform/env.ts'
import { describeForOperator } from '#lib/platform/operator-error.ts'
import { logStart, release, releaseInWords } from '#lib/platform/release.ts'
import { build, requireBuildable, requireBuilt } from './build.ts'
import { type Child, type ChildOptions, keepProcess, maintenance, StartError, startChild } from './child.ts'
import { openDataDirectory, type Secrets } from './data-directory.ts'
import { type Postgres, startPostgres, whyNoListening } from './postgres.ts'
import { logins, prepareDatabases } from './postgres-roles.ts'
import { serverVariables } from './server-variables.ts'

/** Processes stop in the reverse order of their start. */
const running: { name: string; stop: () => void | Promise<void> }[] = []
/** Our own programs use the processes above, so all of them end together first. */
const programs: typeof running = []
const dev = process.argv.includes('--dev')
const serve = process.argv.includes('--serve')
const stopped = new AbortController()
/**
 * We exit after this many milliseconds, whatever still runs. Our programs end with us, and PostgreSQL ends by itself after
 * its signal.
 */
const stopTimeoutMs = 15_000

/** The number covers the connections of the sandbox, and two for people who look at the database. */
const besideOurs = 11

/** The pauses are milliseconds: after a run that finished its work, and after a run that left some. */
const maintenancePauses = { done: 600_000, left: 60_000 }

/** No other message says so where the embedded database holds data of a real service. */
const backupsAreYours =
  'Nobody backs up the database but you: it is Rampart’s own, in the data directory. npm run rampart backup FOLDER makes a backup while all goes on; see docs/backup.md'

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void finish(0))

const starting = start()
try {
  await starting
} catch (error) {
  if (!stopped.signal.aborted) console.error(describeForOperator(error))
  await finish(1)
}

async function start() {
  for (const line of warningsOf()) console.error(line)
  const settings = readStartSettings()
  const does = (role: ProcessRole) => settings.roles.includes(role)
  if (settings.logTo === 'stdout') logStart('supervisor', settings)
  else
    console.log(
      `Rampart ${releaseInWords(release())}, port ${settings.port}, roles ${settings.roles.join(', ')}`,
    )
  if (serve && does('web')) requireBuilt()
  if (dev && does('web')) requireBuildable()
  const directory = openDataDirectory(settings.dataDir, {
    withPostgres: needsPostgres(settings),
    warn: console.error,
  })
  running.push({ name: 'data directory', stop: directory.close })
  if (settings.databaseUrl === undefined && settings.serviceBaseUrl !== undefined)
    console.log(backupsAreYours)
  const { logs } = directory
  const ofChildren = { logs: settings.logTo === 'files' ? logs : null, signal: stopped.signal }
  const launch = (name: string, file: string, variables: Record<string, string>, ...words: string[]) =>
    startChild(name, file, { variables, words, ...ofChildren })
  const sandboxed = settings.serviceBaseUrl === undefined
  const ports = { PORT: settings.port, ...(sandboxed ? { SANDBOX_PORT: settings.sandboxPort } : {}) }
  for (const [variable, port] of Object.entries(ports))
    await requireFree(variable, port, Object.values(ports))
  if (settings.listen !== undefined) await requireOwnAddress(settings.listen)
  const places = await databasesAnswer(settings)
  const [, postgres] = await bothOf(
    dev || serve || !does('web')
      ? undefined
      : build({ logs, say: console.log, signal: stopped.signal, once: true }),
    needsPostgres(settings) ? database(settings, directory.secrets, logs) : undefined,
  )
  const variables = {
    ...programVariables(settings, directory.secrets, postgres),
    DATABASE_CONNECTIONS: String(connectionsFor(settings, places)),
  }
  if (sandboxed) {
    const sandbox = sandboxVariables(settings, directory.secrets, postgres)
    await keepRunning(() => launch('sandbox', 'sandbox/main.ts', sandbox), ['sandbox'])
  }
  stopped.signal.throwIfAborted()
  const flags = dev ? ['--enable-source-maps'] : []
  const keep = (name: string, file: string, watched: string[], onMetrics?: ChildOptions['onMetrics']) =>
    keepAlive(name, file, { variables, flags, ...ofChildren, ...(onMetrics ? { onMetrics } : {}) }, watched)
  const outsideNext = [
    'server.ts',
    'live.ts',
    'lib/deliveries',
    'lib/timeline/rules',
    'lib/live',
    'lib/platform/db',
    'lib/platform/rules',
    'lib/platform/env.ts',
    'lib/platform/env',
  ]
  const migration = await launch('maintenance', maintenance, variables, 'migrate')
  await migration.gone
  const server = await keep('server', 'server.ts', outsideNext)
  // Each commit of a developer is another release, which needs no other start.
  const ofRelease = dev ? [] : [releaseInWords(release())]
  const months = () => launch('maintenance', maintenance, variables, 'months', ...ofRelease)
  if (does('projector')) void repeatMaintenance(months)
  for (let n = 1; n <= settings.projectors; n++) {
    const name = settings.projectors === 1 ? 'projector' : `projector-${n}`
    const watched = ['projector.ts', 'lib/timeline', 'lib/deliveries', 'lib/transactions/rules']
    await keep(name, 'projector.ts', [...watched, 'lib/platform/db'], (metrics) =>
      server.tell({ kind: 'metrics', process: name, metrics }),
    )
  }
  if (sandboxed) {
    const demo = await launch('demo', 'bin/load-demo.ts', variables)
    await demo.gone
  }
  stopped.signal.throwIfAborted()
  if (!does('web')) return console.log(`ready on port ${settings.port}`)
  if (sandboxed) sayWhatToTry(settings, variables.PUBLIC_URL)
  const { signal } = ofChildren
  const welcome = await startChild('welcome', 'bin/welcome.ts', { variables, logs: null, signal })
  await welcome.gone
  console.log(`ready ${variables.PUBLIC_URL}`)
}

/** Both are awaited even when one fails, so that what the other starts meanwhile can be stopped in order. */
async function bothOf<One, Two>(one: Promise<One> | undefined, two: Promise<Two> | undefined) {
  await Promise.allSettled([one, two])
  return await Promise.all([one, two])
}

/**
 * A program runs as long as this process, and its unexpected end ends this process. With `--dev` a changed file restarts it.
 */
async function keepRunning(launch: () => Promise<Child>, watched: string[]) {
  let child = await launch()
  let replacing = false
  const guard = (one: Child) =>
    void one.gone.then((how) => {
      if (stopped.signal.aborted || replacing) return
      console.error(
        `The ${one.name} ended unexpectedly (${how}). Its log says why: ${path.join('logs', `${one.name}.log`)} in the data directory, or the lines above.`,
      )
      void finish(1)
    })
  guard(child)
  const watchers = dev ? watched.map((place) => onChange(place, restart)) : []
  programs.push({
    name: child.name,
    stop: () => {
      for (const watcher of watchers) watcher.close()
      return child.stop()
    },
  })
  async function restart() {
    if (replacing || stopped.signal.aborted) return
    replacing = true
    await child.stop()
    try {
      child = await launch()
      console.log(`The ${child.name} was started again.`)
      guard(child)
    } catch (error) {
      console.error(error instanceof Error ? error.message : error)
    }
    replacing = false
  }
}

/** A program of the dashboard is restarted when it ends or hangs. With `--dev` a changed file restarts it too. */
async function keepAlive(name: string, file: string, options: ChildOptions, watched: string[]) {
  const kept = await keepProcess(name, file, options)
  const watchers = dev ? watched.map((place) => onChange(place, () => void kept.restart())) : []
  programs.push({
    name,
    stop: () => {
      for (const watcher of watchers) watcher.close()
      return kept.stop()
    },
  })
  return kept
}

/** One run follows the other until Rampart stops. The log of a run says what failed. */
async function repeatMaintenance(launch: () => Promise<Child>): Promise<void> {
  while (!stopped.signal.aborted) {
    let pause = maintenancePauses.left
    try {
      const run = await launch()
      const part = { name: run.name, stop: () => run.stop() }
      programs.push(part)
      if ((await run.gone) === '0') pause = maintenancePauses.done
      programs.splice(programs.indexOf(part), 1)
    } catch (error) {
      if (!stopped.signal.aborted) console.error(error instanceof Error ? error.message : error)
    }
    await sleep(pause, undefined, { signal: stopped.signal }).catch(() => undefined)
  }
}

function onChange(place: string, act: () => void): FSWatcher {
  let timer: NodeJS.Timeout | undefined
  return watch(place, { recursive: true }, (_event, name) => {
    if (name?.includes('.test.') || name?.includes('generated')) return
    clearTimeout(timer)
    timer = setTimeout(act, 200)
  })
}

/** A starting program is stopped at once. Everything else finishes its start first, so that it can be stopped in order. */
async function finish(code: number) {
  if (stopped.signal.aborted) return
  stopped.abort()
  setTimeout(() => {
    for (const part of [...programs, ...running]) void part.stop()
    process.exit(code)
  }, stopTimeoutMs)
  await starting.catch(() => undefined)
  await Promise.all(programs.map((program) => program.stop()))
  while (running.length > 0) await running.pop()?.stop()
  process.exit(code)
}

/** When no number is configured, Rampart asks a small server for no more connections than it has. */
function connectionsFor({ databaseConnections, projectors }: StartSettings, places: number): number {
  const { fewest, usual } = connectionRange(projectors)
  return databaseConnections ?? Math.max(fewest, Math.min(usual, places - besideOurs))
}

/** The answer is the number of places for connections on the server of a database of one's own. */
async function databasesAnswer(settings: StartSettings): Promise<number> {
  const { databaseUrl, sandboxDatabaseUrl } = settings
  let places = Number.POSITIVE_INFINITY
  if (databaseUrl !== undefined) {
    const addresses = {
      DATABASE_URL: databaseUrl,
      DATABASE_DIRECT_URL: settings.databaseDirectUrl,
      DATABASE_MIGRATE_URL: settings.databaseMigrateUrl,
      DATABASE_READ_URL: settings.databaseReadUrl,
    }
    places = await checkDatabases(addresses, console.error, settings.databaseConnections)
    const { DATABASE_MIGRATE_URL: owner, DATABASE_DIRECT_URL: direct } = addresses
    if (owner !== undefined) await requireMayMigrate(owner)
    else await requireMayMigrate(direct ?? databaseUrl, direct ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL')
  }
  if (sandboxDatabaseUrl !== undefined) await requireReachable('SANDBOX_DATABASE_URL', sandboxDatabaseUrl)
  return places
}

function needsPostgres(settings: StartSettings): boolean {
  const sandboxed = settings.serviceBaseUrl === undefined
  return settings.databaseUrl === undefined || (sandboxed && settings.sandboxDatabaseUrl === undefined)
}

async function database(settings: StartSettings, secrets: Secrets, logs: string): Promise<Postgres> {
  const postgres = await startPostgres({
    dataDir: path.resolve(settings.dataDir, 'postgres'),
    password: secrets.postgresPassword,
    logFile: path.join(logs, 'postgres.log'),
    settings: ['max_connections=200'],
  })
  running.push({ name: 'PostgreSQL', stop: postgres.stop })
  void postgres.gone.then(() => {
    if (!stopped.signal.aborted)
      console.error('PostgreSQL ended unexpectedly; see logs/postgres.log in the data directory.')
    void finish(1)
  })
  await prepareDatabases(postgres, secrets)
  return postgres
}

function programVariables(settings: StartSettings, secrets: Secrets, postgres: Postgres | undefined) {
  const variables = serverVariables(settings, secrets)
  return {
    ...variables,
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: String(settings.port),
    NEXTAUTH_URL: variables.PUBLIC_URL,
    ...(settings.databaseUrl === undefined && postgres ? ownDatabase(postgres, secrets) : {}),
  }
}

/** The application works as one role, and migrations as another, which owns the tables. Decision 0047. */
function ownDatabase(postgres: Postgres, secrets: Secrets) {
  const { application, owner } = logins(secrets)
  return {
    DATABASE_URL: postgres.url('rampart', application),
    DATABASE_MIGRATE_URL: postgres.url('rampart', owner),
  }
}

function sandboxVariables(settings: StartSettings, secrets: Secrets, postgres: Postgres | undefined) {
  return {
    NODE_ENV: 'production',
    SANDBOX_PORT: String(settings.sandboxPort),
    SANDBOX_DASHBOARD_URL: settings.publicUrl ?? defaultPublicUrl(settings.port),
    SANDBOX_API_KEY: settings.sandboxApiKey ?? secrets.sandboxApiKey,
    SANDBOX_DATABASE_URL:
      settings.sandboxDatabaseUrl ?? postgres?.url('sandbox', logins(secrets).sandbox) ?? '',
  }
}

/** The function waits a moment, because orphaned programs are just ending after a `kill -9`. */
async function requireFree(variable: string, port: number, ports: readonly number[]) {
  let why: string | null = null
  for (let tries = 0; tries < 15; tries++) {
    why = await whyNoListening(port)
    if (why !== 'EADDRINUSE') break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  if (why === null) return
  const other = `choose another: ${variable}=${await freePortFrom(port, ports)} npm start`
  if (why === 'EADDRINUSE')
    throw new StartError(`Port ${port} is taken (${variable}). Stop the program that uses it, or ${other}`)
  if (why === 'EACCES')
    throw new StartError(
      `Port ${port} is not allowed to this user (${variable}): most systems keep those below 1024 for root. Please ${other}`,
    )
  throw new StartError(`Port ${port} cannot be listened on (${variable}; ${why}). Please ${other}`)
}

/** The result is the next port that is free and has no other purpose. After the last port the search continues at 1024. */
async function freePortFrom(port: number, ports: readonly number[]): Promise<number> {
  for (let next = port + 1; ; next++) {
    if (next < 1024 || next > 65_535) next = 1024
    if (!ports.includes(next) && (await whyNoListening(next)) === null) return next
  }
}

/** Any port shows that this machine has the address. */
async function requireOwnAddress(listen: string) {
  const why = await whyNoListening(0, [listen])
  if (why !== null)
    throw new StartError(
      `LISTEN=${listen} is no address of this machine (${why}). Leave it out for this machine alone, or give 0.0.0.0 for all of its addresses: LISTEN=0.0.0.0`,
    )
}

function sayWhatToTry(settings: StartSettings, publicUrl: string) {
  console.log(`
  Rampart    ${publicUrl}
  Sandbox    http://localhost:${settings.sandboxPort}   the service itself, with its mailbox and scenarios to play

  Sign in with an e-mail code (codes land in http://localhost:${settings.sandboxPort}/mailbox) as
    admin@demo.test      manages endpoints and sees everything
    support@demo.test    finds transactions
    ana@demo.test        an end user, as are ben@demo.test and cleo@demo.test, who is not verified
  or with the throw-away wallet on the sign-in page. Data and logs: ${settings.dataDir}. Ctrl-C stops everything.
`)
}
