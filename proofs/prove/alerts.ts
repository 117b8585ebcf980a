import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { type ConditionCode, parseCondition } from '../../lib/operations/rules/alert-conditions.ts'
import { causes } from './alerts/causes.ts'
import { type AlertStage, openAlertStage, publicSink, waitFor } from './alerts/open-stage.ts'
import { countAlerts, isMissing, outages, tableOf, whatIsPersonal, whatIsWrong } from './alerts/outages.ts'

export const when = 'alerts, their conditions or channels changed; an hour, or half a minute with `short`'

/** Conditions of one group are true at the same time. */
const groups: readonly (readonly ConditionCode[])[] = [
  [
    'deliveries-missed',
    'endpoint-off',
    'endpoint-failing',
    'silence',
    'dead-letters',
    'refused-deliveries',
    'sign-in-attacks',
    'audit-broken',
    'disk-full',
    'database-full',
    'unknown-type',
    'transaction-stuck',
    'transaction-held',
    'certificate-expiry',
  ],
  ['no-projector', 'backlog-size', 'backlog-age', 'no-live-process'],
  ['key-refused'],
  ['service-away'],
  // The first of these waits for ten minutes of a server's life.
  ['month-missing', 'migration-failed', 'clock-difference'],
]

const shortGroups: typeof groups = [['dead-letters', 'refused-deliveries', 'no-projector', 'backlog-size']]

/** Only a real provider has backups that anybody would miss. */
const realGroups: typeof groups = [['backup-old']]

/**
 * Each condition is caused in real processes, and mended. Each channel must say once that it fires, and once that it is over.
 * Then the database, the mail server and processes go away while alerts change.
 * @param words `short` for a few conditions, `quick` to move stored times, and names of conditions or outages; all by default
 */
export default async function proveAlerts(words: string[]): Promise<Result> {
  const isReal = words.includes(withRealProvider)
  const isShort = words.includes('short')
  const isQuick = isShort || words.includes('quick')
  const names = words.filter((word) => parseCondition(word) !== null || Object.hasOwn(outages, word))
  const isWanted = (name: string) => names.length === 0 || names.includes(name)
  const chosen = (isReal ? realGroups : isShort ? shortGroups : groups)
    // A round that comes sooner knows no life of ten minutes.
    .map((group) => group.filter((code) => isWanted(code) && !(isQuick && code === 'month-missing')))
    .filter((group) => group.length > 0)
  const hits = Object.entries(outages).filter(([name]) => isWanted(name) && !isShort && !isReal)
  const results = chosen.length + hits.length > 0 ? await proveOnStage({ isQuick, isReal }, chosen, hits) : []
  if (!isReal && !isShort && isWanted('backup-old')) results.push(await proveApart(words))
  return sumResults(results)
}

async function proveOnStage(
  given: { readonly isQuick: boolean; readonly isReal: boolean },
  chosen: typeof groups,
  hits: readonly Outage[],
): Promise<Result[]> {
  const results: Result[] = []
  const stage = await openAlertStage(given)
  try {
    for (const group of chosen) results.push(await proveGroup(stage, group))
    const tallies = await countAlerts(stage)
    if (tallies.length > 0) console.log(tableOf(tallies))
    for (const tally of tallies) {
      const wrong = whatIsWrong(tally, true)
      results.push(wrong === null ? passedResult : failedResult(`alerts ${tally.condition}`, wrong))
    }
    const personal = whatIsPersonal(stage)
    results.push(personal === null ? passedResult : failedResult('alerts personal data', personal))
    for (const hit of hits) results.push(await proveOutage(stage, hit))
    if (results.some(({ failed }) => failed.length > 0)) console.error(stage.log().slice(-6_000))
  } finally {
    await stage.close()
  }
  return results
}

/** The whole group is caused before any of it is mended. */
async function proveGroup(stage: AlertStage, codes: readonly ConditionCode[]): Promise<Result> {
  const began = performance.now()
  const say = (what: string) =>
    console.log(`${codes.join(', ')}: ${what} after ${Math.round((performance.now() - began) / 1_000)} s`)
  try {
    for (const code of codes) {
      const { threshold, cause } = causes[code]
      if (threshold !== undefined) await stage.changeRule(code, { threshold })
      await cause(stage)
    }
    say('caused')
    await stage.checkAgain()
    await waitFor(() => isMissing(stage, codes, false), patienceOf(stage))
    say('each channel knows')
    for (const code of codes) await causes[code].mend(stage)
    await stage.checkAgain()
    await waitFor(() => isMissing(stage, codes, true), patienceOf(stage))
    say('each channel knows the end')
    return passedResult
  } catch (error) {
    console.error(`${codes.join(', ')}: FAILED`, error)
    // The next group would suffer from what is still wrong.
    await Promise.allSettled(codes.map((code) => causes[code].mend(stage)))
    return failedResult(`alerts ${codes.join(', ')}`, error)
  }
}

/** The seconds cover two rounds of slow conditions, the life that one needs, and the pause between two messages. */
const patienceOf = ({ isQuick }: AlertStage) => (isQuick ? 240 : 20 * 60)

type Outage = readonly [name: string, prove: (stage: AlertStage) => Promise<string>]

async function proveOutage(stage: AlertStage, [name, prove]: Outage): Promise<Result> {
  const began = performance.now()
  try {
    await stage.forget()
    const held = await prove(stage)
    console.log(`${name}: ${held} (${Math.round((performance.now() - began) / 1_000)} s)`)
    return passedResult
  } catch (error) {
    console.error(`${name}: FAILED`, error)
    return failedResult(`alerts ${name}`, error)
  }
}

const withRealProvider = 'with-real-provider'

/** Channels of a real provider must be at public addresses, so the proof runs in a network of its own that has one. */
async function proveApart(words: readonly string[]): Promise<Result> {
  if (process.getuid?.() !== 0)
    return skippedResult('alerts backup-old (needs root for a network of its own)')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-alerts-apart-'))
  const hosts = path.join(folder, 'hosts')
  fs.writeFileSync(hosts, `127.0.0.1 localhost\n${publicSink.address} ${publicSink.name}\n`)
  const setUp = `ip link set lo up && ip addr add ${publicSink.address}/32 dev lo && mount --bind ${hosts} /etc/hosts`
  const child = spawn(
    'unshare',
    [
      '--net',
      '--mount',
      'sh',
      '-c',
      `${setUp} && exec "$0" "$@"`,
      process.execPath,
      '--import',
      './bin/hooks.mjs',
      'proofs/prove.ts',
      'alerts',
      withRealProvider,
      ...words,
    ],
    { stdio: 'inherit' },
  )
  const [code] = await once(child, 'exit')
  fs.rmSync(folder, { recursive: true })
  return code === 0 ? passedResult : failedResult('alerts backup-old')
}
