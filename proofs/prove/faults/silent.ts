import crypto from 'node:crypto'
import path from 'node:path'
import { freePort } from '../../../bin/postgres.ts'
import { startSilentProxy } from '../../../test/silent-proxy.ts'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { startSenderLoad } from './load.ts'
import { startRampart, stopRampart } from './sigterm.ts'
import { openTestBed, sleep } from './test-bed.ts'

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
