import { startTemporaryPostgres, type TemporaryPostgres } from '../../bin/temporary-postgres.ts'
import { readEnv } from '../../sandbox/env.ts'
import { startSandbox } from '../../sandbox/start.ts'
import { createTestCaller, testVariables } from '../../sandbox/test/running.ts'
import { checkSequences } from '../model/check-sequences.ts'
import { type Settings, variablesOf, variants } from '../model/model.ts'

export const when = "the sandbox's rules changed; `npm test` plays 10 sequences of each variant"

/**
 * The proof plays random sequences of calls and clock moves to several sandboxes at a time and to the model of the contract.
 * It prints the first difference of each.
 * @param words how many sequences, 2,000 by default; the seed, random by default
 */
export default async function runSandboxModelTest(words: string[]): Promise<void> {
  const count = Number(words[0] ?? 2_000)
  const seed = Number(words[1] ?? Math.floor(Math.random() * 2 ** 31))
  const postgres = await startTemporaryPostgres('model', ['fsync=off'])
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1_000)
  const total = { sequences: 0, commands: 0 }
  const progress = () => `${total.sequences} sequences, ${total.commands} commands, ${seconds()} s`
  const played = (commands: number) => {
    total.sequences++
    total.commands += commands
    if (total.sequences % 100 === 0) console.log(progress())
  }
  console.log(`seed ${seed}`)
  const lanes = [...variants, ...variants]
  const differences = await Promise.all(
    lanes.map(async (settings, lane) => {
      const share = Math.floor(count / lanes.length) + (lane < count % lanes.length ? 1 : 0)
      const sandbox = await start(postgres, `lane_${lane}`, settings)
      const { difference } = await checkSequences(sandbox, settings, {
        count: share,
        seed: seed + lane,
        played,
      })
      await sandbox.stop()
      return difference
    }),
  )
  await postgres.stop()
  const found = differences.filter((difference) => difference !== undefined)
  for (const difference of found) console.log(`\n${difference}\n`)
  console.log(`sandbox-model: ${progress()}, ${found.length} differences`)
  if (total.sequences < count || total.commands === 0) throw new Error(`Not all of ${count} were played`)
  if (found.length > 0) throw new Error('The sandbox is not what the model of the contract says')
}

async function start(postgres: TemporaryPostgres, name: string, settings: Settings) {
  const database = await postgres.create(name)
  const running = await startSandbox(readEnv(testVariables(database, variablesOf(settings))))
  return { ...createTestCaller(running.port), publicUrl: running.publicUrl, stop: running.stop }
}
