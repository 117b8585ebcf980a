import { expect, it } from 'vitest'
import { factsOf, step, transaction } from '../../../test/sample-deliveries.ts'
import { foldSubject } from './fold.ts'

// The test is separate from the other tests of the fold, which `npm run prove -- mutants` runs thousands of times.

it('costs little more for each further delivery', () => {
  const many = (count: number) => {
    const given = Array.from({ length: count }, (_, index) => ({
      at: index * 50,
      body: { ...step(index % 3 === 0 ? 'PENDING' : 'CRYPTO_TRANSFER_ISSUED'), index: index % (count / 2) },
    }))
    const { facts, envelopes } = factsOf(given)
    const from = process.threadCpuUsage()
    foldSubject(transaction, facts, envelopes)
    return process.threadCpuUsage(from).user / 1_000
  }
  // A squared cost would take over ten seconds of processor time; the elapsed time on a busy machine proves nothing.
  expect(many(20_000)).toBeLessThan(4_000)
}, 120_000)
