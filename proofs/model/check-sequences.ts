import fc from 'fast-check'
import type { TestCaller } from '../../sandbox/test/running.ts'
import { letTimePass } from './compare.ts'
import {
  changeEndpointStep,
  createEndpointStep,
  deleteEndpointStep,
  getEndpointStep,
  listEndpointsStep,
  rotateSecretStep,
  sendEventStep,
} from './endpoint-steps.ts'
import { createModel, type Settings, startReceivers } from './model.ts'
import { type ModelRun, modelStep, startModelRun } from './model-run.ts'
import {
  callWithWrongKeyStep,
  createUserStep,
  exchangeCodesStep,
  readUserStep,
  shareTokenStep,
  signInAgainStep,
  signInWithWalletStep,
  triggerCodeStep,
} from './user-steps.ts'

interface Checked {
  readonly sequences: number
  readonly commands: number
  /** The difference comes with the shortest sequence of commands that shows it, and the seed that leads there. */
  readonly difference: string | undefined
}

/**
 * Random sequences are played one after the other against one sandbox and a model with the same settings. `played` is called
 * after each with its number of commands.
 */
export async function checkSequences(
  sandbox: ModelRun['sandbox'],
  settings: Settings,
  { count, seed, played }: { count: number; seed: number; played?: (commands: number) => void },
): Promise<Checked> {
  const receivers = await startReceivers()
  // Real time must not matter, so a second of real time is a hundredth of a second here.
  await sandbox.control('POST', '/clock/speed', { factor: 0.01 })
  const total = { sequences: 0, commands: 0 }
  const property = fc.asyncProperty(sequences, async (steps) => {
    const model = createModel(settings)
    const world = await startModelRun(sandbox, receivers)
    const list = [...steps]
    try {
      await fc.asyncModelRun(() => ({ model, real: world }), list)
      // Every waiting retry comes to its end.
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

/** The wait is seconds, minutes, hours, or longer than the retry schedule. */
const waitStep = modelStep(
  'let time pass',
  fc.record({
    seconds: fc.oneof(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 30, max: 120 }),
      fc.integer({ min: 300, max: 1_000 }),
      fc.integer({ min: 3_000, max: 6_000 }),
      fc.integer({ min: 10_000, max: 50_000 }),
      fc.integer({ min: 67_200, max: 80_000 }),
    ),
  }),
  (model, world, { seconds }) => letTimePass(model, world, seconds),
)

const signingIn = [
  createUserStep,
  triggerCodeStep,
  triggerCodeStep,
  exchangeCodesStep,
  exchangeCodesStep,
  signInWithWalletStep,
  signInWithWalletStep,
  signInAgainStep,
  readUserStep,
  readUserStep,
  shareTokenStep,
  waitStep,
  waitStep,
]

const delivering = [
  createEndpointStep,
  createEndpointStep,
  listEndpointsStep,
  getEndpointStep,
  changeEndpointStep,
  changeEndpointStep,
  rotateSecretStep,
  deleteEndpointStep,
  sendEventStep,
  sendEventStep,
  sendEventStep,
  sendEventStep,
  waitStep,
  waitStep,
  waitStep,
  waitStep,
]

const upTo40 = { maxCommands: 40, size: 'max' } as const

/** A sequence has any commands in any order, or only commands of one kind, so that more of them meet. */
const sequences = fc.oneof(
  fc.commands([...signingIn, ...delivering, callWithWrongKeyStep], upTo40),
  fc.commands(signingIn, upTo40),
  fc.commands(delivering, upTo40),
)
