import { beforeAll, expect, it } from 'vitest'
import { createEmptyDatabase } from '../../test/postgres.ts'
import { type Deviation, deviations, plant } from './deviations.ts'
import { startOwnSandbox } from './own-sandbox.ts'
import { type CheckResult, runSuite } from './run.ts'

const verdicts = new Map<string, CheckResult[]>()
beforeAll(async () => {
  const queue = deviations.values()
  const worker = async () => {
    for (const deviation of queue) verdicts.set(deviation.name, await runAgainst(deviation))
  }
  await Promise.all([worker(), worker()])
}, 600_000)

it('there are ten', () => expect(deviations).toHaveLength(10))

it.each(deviations)('when $name, just the rules that this breaks go red', ({ name, breaks }) => {
  const found = verdicts.get(name) ?? []
  const red = found.flatMap((verdict) => (verdict.kind === 'red' ? [`${verdict.id}: ${verdict.why}`] : []))
  expect(red.map((one) => one.split(':')[0]).sort(), red.join('\n')).toEqual(breaks.toSorted())
  expect(found.filter(({ kind }) => kind === 'left out')).toEqual([])
})

async function runAgainst(deviation: Deviation) {
  const copy = plant(deviation)
  const database = await createEmptyDatabase()
  const sandbox = await startOwnSandbox(database.url, copy.folder)
  const found = await runSuite(sandbox, ['over HTTP'])
  await sandbox.stop()
  await database.drop()
  copy.remove()
  return found
}
