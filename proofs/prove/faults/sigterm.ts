import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from '../../../bin/build.ts'
import { findPostgres, freePort } from '../../../bin/postgres.ts'
import type { FaultTest } from './fault-test.ts'
import { sleep } from './test-bed.ts'

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
