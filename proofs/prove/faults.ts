import { failedResult, passedResult, type Result, skippedResult, sumResults } from '../../bin/check/result.ts'
import { frozen, full, pool, stopped } from './faults/database.ts'
import { endpoints } from './faults/endpoints.ts'
import { attack, connections, large } from './faults/floods.ts'
import { rebuild, shards } from './faults/folding.ts'
import { company, keys } from './faults/keys.ts'
import { clock, locale } from './faults/locale.ts'
import { month, snapshot } from './faults/long-readers.ts'
import { nginx } from './faults/nginx.ts'
import { kill, lostAnswers, replicas, upgrade } from './faults/servers.ts'
import { sigterm, silent } from './faults/sigterm.ts'
import { standby } from './faults/standby.ts'
import { CannotRunHere, type FaultTest } from './faults/test-bed.ts'

export const when =
  'ingest, queue, projector, database, sign-in limits or starting and stopping changed; `npm test` runs seven, short'

const faults: Readonly<Record<string, FaultTest>> = {
  nginx,
  kill,
  stopped,
  frozen,
  full,
  pool,
  replicas,
  shards,
  rebuild,
  upgrade,
  endpoints,
  snapshot,
  'lost-answers': lostAnswers,
  clock,
  connections,
  large,
  company,
  attack,
  sigterm,
  month,
  keys,
  standby,
  locale,
  silent,
}

/** `npm test` has these. Tests of single processes stand for the others there: of a lost database, a silent connection, a month that goes. */
const inNpmTest = ['kill', 'full', 'replicas', 'rebuild', 'sigterm', 'keys', 'standby']

/**
 * The proof runs each fault that deliveries must survive on real processes. It compares the sender's record with the log and
 * the timeline.
 * @param words `short` runs shorter versions of a few in parallel; names select faults
 */
export default async function runFaultTests(words: string[]): Promise<Result> {
  const short = words.includes('short')
  const named = words.filter((word) => word !== 'short')
  const unknown = named.find((name) => !Object.hasOwn(faults, name))
  if (unknown) {
    console.error(`There is no fault "${unknown}"; there are ${Object.keys(faults).join(', ')}`)
    return failedResult(`faults ${unknown}`)
  }
  const unnamed = short ? inNpmTest : Object.keys(faults)
  const wanted = named.length > 0 ? named : unnamed
  const left = Object.entries(faults)
    .filter(([name]) => wanted.includes(name))
    .values()
  const results: Result[] = []
  const worker = async () => {
    for (const [name, fault] of left) results.push(await runFaultTest(name, fault, short))
  }
  await Promise.all(Array.from({ length: short ? 4 : 1 }, worker))
  return sumResults(results)
}

async function runFaultTest(name: string, fault: FaultTest, short: boolean): Promise<Result> {
  try {
    console.log(`${name}: ${await fault({ short })}`)
    return passedResult
  } catch (error) {
    if (error instanceof CannotRunHere) {
      console.log(`${name}: SKIPPED, ${error.message}`)
      return skippedResult(`faults ${name} (${error.message})`)
    }
    console.error(`${name}: FAILED`, error)
    return failedResult(`faults ${name}`, error)
  }
}
