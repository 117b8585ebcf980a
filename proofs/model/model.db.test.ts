import { describe, expect, it } from 'vitest'
import { startTestSandbox } from '../../sandbox/test/running.ts'
import { checkSequences } from './check-sequences.ts'
import { variablesOf, variants } from './model.ts'

/** `npm run prove -- sandbox-model` plays 2,000. */
const runCount = 10

describe('the sandbox', () => {
  it.concurrent.each(variants)(
    'does what the model of the contract does, older codes $olderCodes',
    async (settings) => {
      const sandbox = await startTestSandbox(variablesOf(settings))
      try {
        const seed = Math.floor(Math.random() * 2 ** 31)
        const { difference } = await checkSequences(sandbox, settings, { count: runCount, seed })
        if (difference) expect.fail(difference)
      } finally {
        await sandbox.stop()
      }
    },
    240_000,
  )
})
