import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findScenario } from '../scenarios/catalogue.ts'
import { createRandom } from '../state/ids.ts'
import { createTraffic } from './load.ts'

const person = {
  uuid: '7a9f1a52-6a5c-4b8e-9d1e-0c1a2b3c4d5e',
  email: 'ana@demo.test',
  first_name: 'Ana',
  last_name: 'Ruiz',
  country: 'ES',
  target_address: null,
}
const startsAt = new Date('2026-11-20T12:00:00Z')

function create(weights: Record<string, number>, seed: number) {
  const shares = Object.entries(weights).map(([name, weight]) => {
    const scenario = findScenario(name)
    if (!scenario) throw new Error(name)
    return { scenario, weight }
  })
  const [first, ...others] = shares
  if (!first) throw new Error('Nothing to send')
  return createTraffic({ people: [person], mix: [first, ...others], startsAt }, createRandom(seed))
}

describe('traffic', () => {
  it('keeps each transaction in its own order, with a pause after each event, at whatever pace', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.double({ min: 0, max: 0.5, noNaN: true }), { minLength: 1, maxLength: 300 }),
        (seed, gaps) => {
          const traffic = create({ 'fiat-to-crypto': 1, 'crypto-to-fiat': 1 }, seed)
          const sent = new Map<unknown, { subTypes: string[]; last: number }>()
          let seconds = 0
          for (const gap of gaps) {
            seconds += gap
            const { type, subType, data } = traffic.next(seconds)
            const before = sent.get(data.transactionUuid)
            if (before) expect(seconds - before.last).toBeGreaterThanOrEqual(0.19)
            const subTypes = [...(before?.subTypes ?? []), subType]
            sent.set(data.transactionUuid, { subTypes, last: seconds })
            const whole = findScenario(type === 'fiatToCrypto' ? 'fiat-to-crypto' : 'crypto-to-fiat')?.sends
            expect(subTypes).toEqual(whole?.slice(0, subTypes.length))
          }
        },
      ),
    )
  })

  it('continues waiting scenarios before it starts new ones', () => {
    const traffic = create({ 'fiat-to-crypto': 1 }, 1)
    const subTypes = [0, 0, 100, 100, 200, 200, 300, 300].map((seconds) => traffic.next(seconds).subType)
    expect(subTypes).toEqual(
      ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'].flatMap((step) => [step, step]),
    )
  })

  it('begins scenarios as often as their weights say', () => {
    const traffic = create({ 'fiat-to-crypto': 3, 'crypto-to-fiat': 1 }, 1)
    const begun = Array.from({ length: 2_000 }, () => traffic.next(0).type)
    const share = begun.filter((type) => type === 'fiatToCrypto').length / begun.length
    expect(share).toBeGreaterThan(0.7)
    expect(share).toBeLessThan(0.8)
  })
})
