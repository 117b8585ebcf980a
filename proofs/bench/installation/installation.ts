import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { type Browser, type BrowserContext, chromium } from '@playwright/test'
import pg from 'pg'
import { z } from 'zod'
import { findChromium } from '../../../bin/chromium.ts'
import { freePort, type Postgres, startPostgres } from '../../../bin/postgres.ts'
import { eventsOfTransactions, makeLists } from '../../../test/lists/make-lists.ts'
import { counts } from '../../../test/lists/rows.ts'

/**
 * An installation is Rampart and its sandbox as `npm start` starts them, with production build, demo and generated
 * transactions.
 */
export interface Installation {
  readonly url: string
  readonly sandboxUrl: string
  /** The address connects to the dashboard's database as the cluster's superuser. */
  readonly databaseUrl: string
  stop(): Promise<void>
}

/** These settings are only for filling the database. The dashboard refuses a database that could lose data. */
const whileMaking = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'max_wal_size=8GB']

/**
 * The installation has a demo that is a week old and this many further transactions.
 * @param kept a folder that keeps it for the next time, or nothing
 * @param variables for the environment of all its programs
 */
export async function startInstallation(
  transactions: number,
  kept: string | undefined,
  variables: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  const folder = kept ? path.resolve(kept) : fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-installation-'))
  fs.mkdirSync(folder, { recursive: true })
  // When root runs it, PostgreSQL runs as another user, who needs access here.
  fs.chmodSync(folder, 0o755)
  const ports = await portsOf(folder)
  const running: { postgres?: Postgres; rampart?: ChildProcess } = {}
  // The cleanup also runs when the process is interrupted, because both programs would outlive it.
  const leave = () => {
    running.rampart?.kill('SIGTERM')
    if (running.postgres) process.kill(running.postgres.pid, 'SIGINT')
  }
  process.once('exit', leave)
  const stopPostgres = async () => {
    const stopping = running.postgres
    delete running.postgres
    await stopping?.stop()
  }
  const postgres = async (settings: readonly string[] = []) => {
    await stopPostgres()
    running.postgres = await startPostgres({
      dataDir: path.join(folder, 'postgres'),
      password: 'temporary',
      logFile: path.join(folder, 'postgres.log'),
      port: ports.postgres,
      settings: ['max_connections=200', ...settings],
    })
    return running.postgres
  }
  const rampart = async (more: Readonly<Record<string, string>>) => {
    running.rampart = await startRampart({
      ...more,
      PORT: String(ports.rampart),
      SANDBOX_PORT: String(ports.sandbox),
      RAMPART_DATA_DIR: path.join(folder, 'data'),
      DATABASE_URL: running.postgres?.url('rampart') ?? '',
      SANDBOX_DATABASE_URL: running.postgres?.url('sandbox') ?? '',
      NEXTAUTH_SECRET: 'only for a benchmark on this machine',
      RAMPART_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
      WALLETCONNECT_PROJECT_ID: '0'.repeat(32),
    })
  }

  const made = path.join(folder, 'made')
  if (!fs.existsSync(made) || fs.readFileSync(made, 'utf8') !== String(transactions)) {
    for (const part of ['postgres', 'data'])
      fs.rmSync(path.join(folder, part), { recursive: true, force: true })
    const from = performance.now()
    const empty = await postgres()
    await ask(empty.url('postgres'), ['CREATE DATABASE rampart', 'CREATE DATABASE sandbox'])
    await rampart({})
    await endInOrder(running.rampart)
    const fast = await postgres(whileMaking)
    await makeLists(fast.url('rampart'), eventsOfTransactions(transactions))
    await ask(fast.url('rampart'), [FINISH, counts, 'VACUUM ANALYZE transaction'])
    fs.writeFileSync(made, String(transactions))
    console.log(`${transactions} transactions made in ${Math.round((performance.now() - from) / 1000)} s`)
  }
  const ready = await postgres()
  await rampart(variables)
  return {
    url: `http://localhost:${ports.rampart}`,
    sandboxUrl: `http://localhost:${ports.sandbox}`,
    databaseUrl: ready.url('rampart'),
    async stop() {
      process.off('exit', leave)
      await endInOrder(running.rampart)
      await stopPostgres()
      if (!kept) fs.rmSync(folder, { recursive: true })
    },
  }
}

const PortsSchema = z.object({ rampart: z.number(), sandbox: z.number(), postgres: z.number() })

/** The ports are the same on every start, because the demo's endpoint keeps its first address. */
async function portsOf(folder: string): Promise<z.infer<typeof PortsSchema>> {
  const file = path.join(folder, 'ports.json')
  if (fs.existsSync(file)) return PortsSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  const ports = { rampart: await freePort(), sandbox: await freePort(), postgres: await freePort() }
  fs.writeFileSync(file, JSON.stringify(ports))
  return ports
}

/**
 * One in sixteen generated transactions never ends. Only this many stay open, because a merchant with support staff has no
 * more stuck ones.
 */
const FINISH = `
  UPDATE transaction SET step = 'SUCCESS', finished_at = last_move_at
  WHERE subject_id IN (
    SELECT subject_id FROM transaction WHERE finished_at IS NULL AND last_move_at < '2026-11-01'
    ORDER BY last_move_at DESC OFFSET 500)`

async function ask(url: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/**
 * The promise settles once `npm start` is ready.
 * @param cwd the tree whose version starts; this one by default
 */
export async function startRampart(
  variables: Readonly<Record<string, string>>,
  cwd = process.cwd(),
): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['bin/start.mjs'], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of readline.createInterface({ input: child.stdout }))
    if (line.startsWith('ready ')) return child
  throw new Error(`npm start ended with ${child.exitCode}`)
}

export async function endInOrder(child: ChildProcess | undefined) {
  if (!child || child.exitCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

/** The browser tests start Chromium with the same arguments. */
export const browserArguments = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking']

/** The browser is the Chromium that the browser tests find. */
export const openBrowser = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await findChromium(console.log), args: browserArguments })

/** The function signs in by a code from the sandbox's mailbox. */
export async function signIn(
  context: BrowserContext,
  { url, sandboxUrl }: Pick<Installation, 'url' | 'sandboxUrl'>,
  email: string,
) {
  const page = await context.newPage()
  const earlier = (await readMail(sandboxUrl, email)).length
  // A form that is sent before its scripts have loaded is lost.
  await page.goto(`${url}/sign-in`, { waitUntil: 'networkidle' })
  await page.locator('input[name=email]').fill(email)
  await page.keyboard.press('Enter')
  const code = page.locator('input[name=code]')
  await code.waitFor()
  await code.fill(await newCode(sandboxUrl, email, earlier))
  await page.keyboard.press('Enter')
  await page.waitForURL((address) => !address.pathname.startsWith('/sign-in'))
  await page.close()
}

async function newCode(sandboxUrl: string, email: string, earlier: number): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const codes = await readMail(sandboxUrl, email)
    const newest = codes.at(-1)
    if (codes.length > earlier && newest) return newest.code
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No code for ${email} arrived`)
}

async function readMail(sandboxUrl: string, email: string): Promise<readonly { readonly code: string }[]> {
  const answer = await fetch(`${sandboxUrl}/_sandbox/mailbox?email=${encodeURIComponent(email)}`)
  return answer.json()
}
