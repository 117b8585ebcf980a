import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from '../../../bin/build.ts'
import { findPostgres, freePort } from '../../../bin/postgres.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { compareWithLog } from './compare-with-log.ts'
import { startSenderLoad } from './load.ts'
import { type FaultTest, openTestBed, sleep } from './test-bed.ts'

/** `npm start` must end within this many milliseconds after SIGTERM; the other limit is for its start. */
const mostForStop = 15_000
const mostForStart = 180_000

/**
 * SIGTERM comes in every second of a start, the very first included. Rampart must end in time, and leave nothing behind that
 * disturbs the next start.
 */
export const sigterm: FaultTest = async ({ short }) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-sigterm-'))
  fs.chmodSync(folder, 0o711)
  const data = path.join(folder, 'data')
  // A start that has to build takes minutes, and each of its seconds would be one start.
  await build({ logs: folder, say: console.log, signal: new AbortController().signal })
  const variables = {
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    RAMPART_DATA_DIR: data,
  }
  const stops: number[] = []
  try {
    // The moment moves on until the start is ready before it comes.
    for (let moment = short ? 700 : 0; ; moment += short ? 2_000 : 1_000) {
      const rampart = startRampart(variables)
      const readyFirst = await Promise.race([rampart.ready.then(() => true), sleep(moment).then(() => false)])
      stops.push(await stopRampart(rampart, variables))
      if (readyFirst || (short && stops.length === 2)) break
      if (moment > mostForStart) throw new Error('It never became ready')
    }
    if (short) return summary(stops)
    const rampart = startRampart(variables)
    await rampart.ready
    const took = await stopRampart(rampart, variables)
    if (rampart.child.exitCode !== 0)
      throw new Error(`Ended with ${rampart.child.exitCode} when it was ready`)
    return `${summary(stops)}; ready afterwards, and stopped in ${took} ms`
  } finally {
    removeData(data)
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const summary = (stops: readonly number[]) =>
  `stopped at ${stops.length} moments of a start, within ${Math.max(...stops)} ms`

/** The function removes the data of `npm start`, which keeps PostgreSQL's in another folder when root runs it. */
export function removeData(data: string): void {
  const moved = path.join(data, 'postgres', 'MOVED')
  if (fs.existsSync(moved)) fs.rmSync(fs.readFileSync(moved, 'utf8').trim(), { recursive: true, force: true })
  fs.rmSync(data, { recursive: true, force: true })
}

export function startRampart(variables: Record<string, string>) {
  const child = spawn(process.execPath, ['bin/start.mjs'], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      said += chunk
      if (/^ready /m.test(said)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`It ended by itself (${code}): ${said}`)))
  })
  ready.catch(() => undefined)
  return { child, ready, said: () => said }
}

/** The result is the milliseconds until the end, with everything that it had started. */
export async function stopRampart(
  { child, said }: ReturnType<typeof startRampart>,
  variables: { RAMPART_DATA_DIR: string },
): Promise<number> {
  if (child.exitCode !== null) throw new Error(`It ended before SIGTERM (${child.exitCode}): ${said()}`)
  const exited = once(child, 'exit')
  const began = performance.now()
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), mostForStop + 5_000)
  await exited
  clearTimeout(late)
  const took = Math.round(performance.now() - began)
  if (took > mostForStop) throw new Error(`It took ${took} ms to end`)
  await sleep(200)
  if (findPostgres(path.join(variables.RAMPART_DATA_DIR, 'postgres'), ''))
    throw new Error('PostgreSQL still runs')
  const left = programsOf(`RAMPART_DATA_DIR=${variables.RAMPART_DATA_DIR}\0`)
  if (left.length > 0) throw new Error(`Still running: ${left.join('; ')}`)
  return took
}

/** The list has the commands of all processes with this variable, where the system shows them. */
function programsOf(variable: string): string[] {
  if (!fs.existsSync('/proc/self/environ')) return []
  return fs.readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(variable)) return []
      return [fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
    } catch {
      return []
    }
  })
}

/**
 * The connection to the database goes silent: packets are dropped without an error. Deliveries are answered correctly
 * throughout, everything resumes by itself, and SIGTERM ends the process in time.
 */
export const silent: FaultTest = async ({ short }) => {
  if (short) return fallSilent({ servers: 1, forMs: 5_000, loses: false })
  const one = await fallSilent({ servers: 1, forMs: 60_000, loses: true })
  const two = await fallSilent({ servers: 2, forMs: 60_000, loses: true })
  return `one server: ${one}; one of two: ${two}; stopped in silence within ${await stopInSilence()} ms`
}

async function fallSilent(how: { servers: number; forMs: number; loses: boolean }): Promise<string> {
  const stage = await openTestBed('silent')
  const proxy = await startSilentProxy(Number(new URL(stage.url).port), how.loses)
  try {
    const receiver = await stage.addReceiver()
    const servers = [await stage.addServer(undefined, throughPort(stage.url, proxy.port))]
    while (servers.length < how.servers) servers.push(await stage.addServer())
    // The load is small, because deliveries refused for a minute are sent repeatedly.
    const load = startSenderLoad({ receiver, ports: () => servers.map(({ port }) => port), perSecond: 8 })
    await sleep(2_000)
    proxy.fallSilent()
    const from = performance.now()
    await sleep(how.forMs)
    proxy.speakAgain()
    const to = performance.now()
    while (!load.attempts.some(({ at, status }) => at > to && status === 200)) {
      if (performance.now() - to > 15_000) throw new Error('No delivery was taken 15 s after the silence')
      await sleep(50)
    }
    const resumed = Math.round(performance.now() - to)
    await sleep(1_000)
    await load.finish()
    const during = load.attempts.filter(({ at, took }) => at > from + 100 && at + took < to)
    if (!during.some(({ status }) => status === 503)) throw new Error('Nobody noticed the silence')
    if (how.servers === 1 && during.some(({ status }) => status === 200))
      throw new Error('Answered 2xx without a database')
    const began = performance.now()
    const books = await compareWithLog(stage, load)
    return `${how.forMs / 1_000} s, deliveries taken ${resumed} ms after, all folded ${Math.round((performance.now() - began) / 1_000)} s later: ${books}`
  } finally {
    proxy.stop()
    await stage.close()
  }
}

/** The program is the whole Rampart, pages included. */
async function stopInSilence(): Promise<number> {
  const stage = await openTestBed('silent')
  await stage.ask('CREATE DATABASE sandbox')
  const proxy = await startSilentProxy(Number(new URL(stage.url).port))
  try {
    const variables = {
      PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      RAMPART_DATA_DIR: path.join(stage.folder, 'data'),
      DATABASE_URL: throughPort(stage.url, proxy.port),
      SANDBOX_DATABASE_URL: stage.url.replace(/rampart$/, 'sandbox'),
      NEXTAUTH_SECRET: crypto.randomBytes(32).toString('base64'),
      RAMPART_KEYS: `k1:${crypto.randomBytes(32).toString('base64')}`,
    }
    const rampart = startRampart(variables)
    await rampart.ready
    proxy.fallSilent()
    await sleep(5_000)
    return await stopRampart(rampart, variables)
  } finally {
    proxy.stop()
    await stage.close()
  }
}

function throughPort(address: string, port: number): string {
  const url = new URL(address)
  url.port = String(port)
  return url.href
}
