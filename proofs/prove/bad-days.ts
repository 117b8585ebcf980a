import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'
import { networkLost, serverRestarted, upgraded } from './bad-days/network.ts'
import {
  databaseAway,
  databaseAwayInForm,
  endpointDeleted,
  keyRefused,
  serviceDown,
} from './bad-days/service.ts'
import { type BadDay, openStage, type Stage } from './bad-days/stage.ts'

export const when = 'what pages say or keep when something fails under them changed'

const days: Readonly<Record<string, BadDay>> = {
  'service-down': serviceDown,
  'key-refused': keyRefused,
  'endpoint-deleted': endpointDeleted,
  upgraded,
  'network-lost': networkLost,
  'database-away': databaseAway,
  'database-away-in-form': databaseAwayInForm,
  'server-restarted': serverRestarted,
}

/**
 * The proof breaks one thing after the other under open pages, on real processes. Each page must explain it and offer a way
 * to continue, nothing typed may be lost, and nothing done twice.
 * @param words names of days, all by default
 */
export default async function runBadDays(words: string[]): Promise<Result> {
  const stage = await openStage()
  const results: Result[] = []
  try {
    for (const [name, day] of Object.entries(days))
      if (words.length === 0 || words.includes(name)) results.push(await runBadDay(name, day, stage))
  } finally {
    await stage.close()
  }
  return sumResults(results)
}

async function runBadDay(name: string, day: BadDay, stage: Stage): Promise<Result> {
  try {
    console.log(`${name}: ${await day(stage)}`)
    return passedResult
  } catch (error) {
    console.error(`${name}: FAILED`, error)
    return failedResult(`bad-days ${name}`, error)
  } finally {
    await stage.closePages()
  }
}
