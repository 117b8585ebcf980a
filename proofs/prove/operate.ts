import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from '../../bin/build.ts'
import { fiatToCryptoWords } from '../../lib/timeline/labels/event-transaction-words.ts'
import { copyProject } from './builds.ts'
import { requireStoredOnce } from './faults/compare-with-log.ts'
import { type SenderLoad, startSenderLoad } from './faults/load.ts'
import { foldedContent, sleep, waitUntilFolded } from './faults/test-bed.ts'
import { type OperateStage, openStage } from './operate/open-stage.ts'
import { type HeldStreams, holdStreams, type Readers, readPages } from './operate/people.ts'
import {
  clock,
  describeFailures,
  type Failure,
  type Strike,
  type Struck,
  strikesOf,
  unexpected,
} from './operate/strikes.ts'
import { ask } from './proxies/exchange.ts'

export const when =
  'starting, stopping, draining, a pool, live streams or the nginx block changed; a quarter of an hour, or `MINUTES`'

/** A transaction has four deliveries. */
const transactionsPerSecond = 50
const people = 3
const streams = 4
/** The service waits this many milliseconds for an answer. */
const serviceWaits = 30_000
/** Everything is acknowledged this many milliseconds after the last strike at most. */
const untilAllIsTaken = 180_000
/** This process does nothing for longer than these milliseconds only when others have the machine. */
const stallMs = 2_000
/** No stream may be interrupted for longer, in milliseconds. */
const mostInterrupted = 2_000

/**
 * The proof restarts, upgrades and kills each part of an installation of three replicas in turn, while the service delivers
 * 200 times a second and people read. Every failed request is reported with its cause.
 * @param words minutes, 10 by default, then beginnings of the names of strikes, all by default
 */
export default async function proveOperate(words: string[]): Promise<void> {
  const [minutes = 10, ...names] =
    Number(words[0]) > 0 ? [Number(words[0]), ...words.slice(1)] : [10, ...words]
  const logs = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-operate-'))
  process.once('exit', () => fs.rmSync(logs, { recursive: true, force: true }))
  await build({ logs, say: console.log, signal: new AbortController().signal, once: true })
  const newer = await buildNewer(path.join(logs, 'newer'), names)
  const stage = await openStage()
  try {
    await run(stage, minutes, chosen(strikesOf(stage, newer), names))
  } finally {
    await stage.close()
  }
}

const chosen = (all: readonly Strike[], names: readonly string[]) =>
  all.filter(({ name }) => names.length === 0 || names.some((word) => name.startsWith(word)))

/** The other version has other scripts, another build id and other action keys. It is built only for an upgrade. */
async function buildNewer(folder: string, names: readonly string[]): Promise<string> {
  if (names.length > 0 && !names.some((name) => 'rolling upgrade'.startsWith(name))) return folder
  copyProject(folder)
  fs.appendFileSync(path.join(folder, 'instrumentation-client.ts'), "\nconsole.debug('newer')\n")
  const { status } = spawnSync(process.execPath, ['bin/command.mjs', 'bin/build-pages.ts'], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('The other version could not be built')
  return folder
}

async function run(stage: OperateStage, minutes: number, strikes: readonly Strike[]): Promise<void> {
  const load = startSenderLoad({
    receiver: stage.receiver,
    ports: () => [stage.address.port],
    perSecond: transactionsPerSecond,
    ca: stage.address.ca,
    timeOut: serviceWaits,
  })
  const readers = readPages(stage.address, stage.cookie, people)
  const held = await holdStreams(stage.address, stage.cookie, streams)
  const watch = watchMachine()
  const began = performance.now()
  const struck: Struck[] = []
  const every = (minutes * 60_000) / (strikes.length + 1)
  try {
    for (const [n, strike] of strikes.entries()) {
      await sleep(Math.max(0, began + (n + 0.5) * every - performance.now()))
      const from = performance.now()
      // The strike is the cause of what fails before its end.
      const { act, ...kind } = strike
      const now = { ...kind, from, to: Number.POSITIVE_INFINITY }
      struck.push(now)
      await act()
      struck.splice(-1, 1, { ...now, to: performance.now() })
      console.log(`${clock(from - began)} ${strike.name}, ${clock(performance.now() - from)}`)
    }
    await sleep(Math.max(0, began + minutes * 60_000 - performance.now()))
  } finally {
    held.leave()
    // A delivery that nobody takes is sent for ever.
    await Promise.race([Promise.all([readers.leave(), load.finish()]), sleep(untilAllIsTaken)])
  }
  const deaths = stage.bouncer.deaths.map((at) => ({
    name: 'PgBouncer ended by itself',
    databaseAway: true,
    from: at,
    to: at,
  }))
  // A stall is named only where nothing was struck.
  const all = [...watch.stop(), ...[...struck, ...deaths].toSorted((a, b) => a.from - b.from)]
  await report(stage, { load, readers, held, struck: all, began, ended: performance.now() })
}

/** A machine that others use too may stand still for longer than a proxy waits. This is named, and excuses nothing. */
function watchMachine() {
  const stalls: Struck[] = []
  let at = performance.now()
  const timer = setInterval(() => {
    const from = at
    at = performance.now()
    if (at - from > stallMs)
      stalls.push({
        name: `THE MACHINE STOOD STILL for ${((at - from) / 1_000).toFixed(1)} s`,
        databaseAway: false,
        from,
        to: at,
      })
  }, 100)
  return {
    stop() {
      clearInterval(timer)
      return stalls
    },
  }
}

interface Seen {
  readonly load: SenderLoad
  readonly readers: Readers
  readonly held: HeldStreams
  readonly struck: readonly Struck[]
  readonly began: number
  readonly ended: number
}

async function report(stage: OperateStage, { load, readers, held, struck, began, ended }: Seen) {
  const { attempts, delivered } = load
  const failures: Failure[] = [
    ...attempts.flatMap(({ at, took, status }): Failure[] =>
      status === 200 ? [] : [{ at: at + took, who: 'service', status, path: '/api/webhooks' }],
    ),
    ...readers.visits.flatMap(({ at, took, status, path }): Failure[] =>
      status === 200 ? [] : [{ at: at + took, who: 'person', status, path }],
    ),
  ]
  for (const line of describeFailures(failures, struck, began)) console.log(line)
  const interruptions = held.interruptions()
  for (const { at, took } of interruptions.toSorted((a, b) => b.took - a.took).slice(0, 5))
    console.log(`a stream was interrupted for ${Math.round(took)} ms at ${clock(at - began)}`)
  const repeated = await requireStoredOnce(stage, delivered)
  await waitUntilFolded(stage.primaryUrl())
  await foldedContent(stage.primaryUrl())
  await requireShown(stage, load)
  const longest = Math.max(0, ...interruptions.map(({ took }) => took))
  const perSecond = delivered.length / ((ended - began) / 1_000)
  const slowest = (requests: readonly { took: number }[]) =>
    (requests.reduce((most, { took }) => Math.max(most, took), 0) / 1_000).toFixed(1)
  console.log(
    `${delivered.length} acknowledged (${perSecond.toFixed(0)} a second), missing 0, doubled 0 (${repeated} stored again and known as the same); ` +
      `${attempts.length - delivered.length} attempts failed, the slowest answer took ${slowest(attempts)} s (${(load.slowestPlainMs / 1_000).toFixed(1)} s without the database); ` +
      `${readers.visits.length} requests of people, the slowest ${slowest(readers.visits)} s; ` +
      `${interruptions.length} interruptions of ${streams} streams, the longest ${Math.round(longest)} ms; ${held.changes()} changes arrived; ` +
      'what is shown is true',
  )
  const wrong = unexpected(failures, struck)
  if (wrong.length > 0)
    throw new Error(
      `${wrong.length} requests failed that should not: ${describeFailures(wrong, struck, began).join('; ')}`,
    )
  if (longest > mostInterrupted)
    throw new Error(
      `A stream was interrupted for ${Math.round(longest)} ms, and ${mostInterrupted} are promised`,
    )
}

/** Every replica shows finished transactions as finished. */
async function requireShown(stage: OperateStage, { delivered }: SenderLoad) {
  const finished = delivered.filter(({ subType }) => subType === 'SUCCESS')
  const sample = finished.filter((_, n) => n % Math.ceil(finished.length / 10) === 0)
  for (const { transactionUuid } of sample) {
    // nginx asks the replicas in turn.
    for (const _ of stage.replicas) {
      const { status, text } = await ask(stage.address, {
        path: `/transactions/${transactionUuid}`,
        headers: { cookie: stage.cookie },
      })
      if (status !== 200 || !text.includes(fiatToCryptoWords.SUCCESS.meaning))
        throw new Error(`The page of ${transactionUuid} (${status}) does not say that it is finished`)
    }
  }
}
