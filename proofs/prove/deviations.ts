import { isDeepStrictEqual } from 'node:util'
import { failedResult, passedResult, type Result, sumResults } from '../../bin/check/result.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { type Deviation, deviations, plant, startOwnSandbox } from '../conformance/deviations.ts'
import { runSuite } from '../conformance/run.ts'

export const when = 'a check of the conformance suite changed'

/**
 * The proof plants one deviation from the contract after the other in a copy of the sandbox and runs the conformance suite.
 * Exactly the rules that the deviation breaks must go red, and nothing may be left out.
 * @param words parts of deviations' names; all of them by default
 */
export default async function runDeviations(words: string[]): Promise<Result> {
  const wanted = deviations.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  )
  if (wanted.length === 0) throw new Error(`No deviation is called ${words.join(' or ')}`)
  const postgres = await startTemporaryPostgres('deviations', ['fsync=off'])
  const results: Result[] = []
  const queue = wanted.entries()
  const worker = async () => {
    for (const [index, deviation] of queue)
      results.push(await check(deviation, postgres, `deviation_${index}`))
  }
  await Promise.all([worker(), worker()])
  await postgres.stop()
  return sumResults(results)
}

async function check(deviation: Deviation, postgres: TemporaryPostgres, database: string): Promise<Result> {
  const copy = plant(deviation)
  const sandbox = await startOwnSandbox(await postgres.create(database), copy.folder)
  const verdicts = await runSuite(sandbox, ['over HTTP'])
  await sandbox.stop()
  copy.remove()
  const red = verdicts.filter(({ kind }) => kind === 'red').map(({ id }) => id)
  const leftOut = verdicts.filter(({ kind }) => kind === 'left out').map(({ id }) => id)
  const expected = deviation.breaks.toSorted()
  if (isDeepStrictEqual(red.toSorted(), expected) && leftOut.length === 0) {
    console.log(`${deviation.name}: ${expected.join(', ')}`)
    return passedResult
  }
  const found = `red ${red.join(', ') || 'none'} instead of ${expected.join(', ')}; left out ${leftOut.length}`
  console.error(`${deviation.name}: FAILED, ${found}`)
  return failedResult(`deviation ${deviation.name}`, found)
}
