import fc from 'fast-check'
import type { TestCaller } from '../../sandbox/test/running.ts'
import { sequences } from './commands.ts'
import { letTimePass } from './compare.ts'
import { createModel } from './model.ts'
import { type ModelRun, startModelRun } from './model-run.ts'
import { startReceivers } from './receivers.ts'
import type { Settings } from './settings.ts'

export interface Checked {
  readonly sequences: number
  readonly commands: number
  /** The first difference, the shortest sequence of commands that shows it, and the seed that leads there. */
  readonly difference: string | undefined
}

/**
 * Plays random sequences, one after the other, against one sandbox and the model of one that has these settings.
 * `played` is called after each with its number of commands.
 */
export async function checkSequences(
  sandbox: ModelRun['sandbox'],
  settings: Settings,
  { count, seed, played }: { count: number; seed: number; played?: (commands: number) => void },
): Promise<Checked> {
  const receivers = await startReceivers()
  // Real time must not matter: what takes a second here takes a hundredth there.
  await sandbox.control('POST', '/clock/speed', { factor: 0.01 })
  const total = { sequences: 0, commands: 0 }
  const property = fc.asyncProperty(sequences, async (steps) => {
    const model = createModel(settings)
    const world = await startModelRun(sandbox, receivers)
    const list = [...steps]
    try {
      await fc.asyncModelRun(() => ({ model, real: world }), list)
      // Every retry that still waits comes to its end.
      await letTimePass(model, world, 86_400)
    } finally {
      await leave(sandbox)
    }
    total.sequences++
    total.commands += list.length
    played?.(list.length)
  })
  const result = await fc.check(property, { numRuns: count, seed, includeErrorInReport: true })
  await receivers.stop()
  return { ...total, difference: result.failed ? fc.defaultReportMessage(result) : undefined }
}

/** The next sequence must find none of this one's endpoints. */
async function leave(sandbox: TestCaller) {
  const { body } = await sandbox.control('GET', '/endpoints')
  for (const { uuid } of body) await sandbox.service('DELETE', `/merchant/webhook-endpoints/${uuid}`)
}
