import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Envelope } from '../service/event-types.ts'
import { scenarios } from './catalogue.ts'
import { createHistory } from './history.ts'
import { isValidIban } from './iban.ts'
import { createRandom } from './random.ts'

const person = {
  uuid: '7a9f1a52-6a5c-4b8e-9d1e-0c1a2b3c4d5e',
  email: 'ana@demo.test',
  first_name: 'Ana',
  last_name: 'Ruiz',
  country: 'ES',
  target_address: null,
}
const now = new Date('2026-11-20T12:00:00Z')
const build = (name: string, seed = 1) => {
  const scenario = scenarios.find((candidate) => candidate.name === name)
  if (!scenario) throw new Error(name)
  return scenario.build(person, createRandom(seed), now)
}

const fiatToCryptoFields =
  'status transactionUuid direction amountCrypto amountFiat amountRefunded walletAddress transactionHash currencyFiat currencyCrypto fees internalBankAccountId chain senderDetails sendingWalletAddress linkedBankAccountUuid'
const cryptoToFiatFields =
  'status transactionUuid direction amountCrypto amountFiat amountRefunded transactionHash currencyFiat currencyCrypto fees sendingAddress remoteBankAccountUuid chain limit beneficiaryDetails'

describe('the scenarios', () => {
  it('reach every status of §3.2', () => {
    const reached = (type: string) =>
      new Set(
        scenarios
          .flatMap((scenario) => scenario.build(person, createRandom(1), now).steps)
          .filter(({ envelope }) => envelope.type === type)
          .map(({ envelope }) => envelope.subType),
      )
    expect([...reached('fiatToCrypto')].sort()).toEqual([
      'CRYPTO_TRANSFER_ISSUED',
      'FAILED',
      'IN_PROGRESS',
      'ON_HOLD',
      'PENDING',
      'REFUNDED',
      'SUCCESS',
    ])
    expect([...reached('cryptoToFiat')].sort()).toEqual([
      'FAILED',
      'FIAT_TRANSFER_ISSUED',
      'IN_PROGRESS',
      'LIMIT_BREACHED',
      'ON_HOLD',
      'PENDING',
      'REFUNDED',
      'SUCCESS',
    ])
  })

  it.each(scenarios)('$name sends envelopes with no field that §6 does not name', (scenario) => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        for (const { envelope } of scenario.build(person, createRandom(seed), now).steps) {
          expect(Envelope.parse(envelope)).toEqual(envelope)
          const known = envelope.type === 'fiatToCrypto' ? fiatToCryptoFields : cryptoToFiatFields
          if (envelope.type === 'fiatToCrypto' || envelope.type === 'cryptoToFiat') {
            expect(known.split(' ')).toEqual(expect.arrayContaining(Object.keys(envelope.data)))
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  it('keep what the transfer decides to themselves until CRYPTO_TRANSFER_ISSUED', () => {
    const [pending, inProgress, issued, success] = build('fiat-to-crypto').steps.map(
      (step) => step.envelope.data,
    )
    for (const early of [pending, inProgress]) {
      for (const field of ['amountCrypto', 'transactionHash', 'chain', 'currencyCrypto']) {
        expect(early).not.toHaveProperty(field)
      }
    }
    expect(issued).toMatchObject({
      status: 'CRYPTO_TRANSFER_ISSUED',
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(success).toMatchObject({ ...issued, status: 'PROCESS_COMPLETED' })
  })

  it('say how much was sent and what the limit is when it was breached', () => {
    const last = build('crypto-to-fiat-limit-breached').steps.at(-1)?.envelope.data
    expect(Number(last?.amountCrypto)).toBeLessThan(Number(last?.limit))
  })

  it('name the account holder and an IBAN whose check digits are right', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom('ES', 'DE', 'GB', 'IT', 'PL'), (seed, country) => {
        const [step] = scenarios[0]?.build({ ...person, country }, createRandom(seed), now).steps ?? []
        const details = step?.envelope.data.senderDetails
        expect(details).toMatchObject({ senderName: 'Ana Ruiz', senderCountry: country })
        expect(isValidIban(JSON.stringify(details).match(/"iban":"(\w+)"/)?.[1] ?? '')).toBe(true)
      }),
    )
  })

  it('send every event twice, or the later before the earlier, where they say so', () => {
    const order = (name: string) => build(name).steps.map((step) => step.envelope.subType)
    expect(order('duplicates')).toEqual(
      ['PENDING', 'IN_PROGRESS', 'CRYPTO_TRANSFER_ISSUED', 'SUCCESS'].flatMap((status) => [status, status]),
    )
    expect(order('out-of-order')).toEqual(['IN_PROGRESS', 'PENDING', 'SUCCESS', 'CRYPTO_TRANSFER_ISSUED'])
  })
})

describe('the history', () => {
  const request = { people: [person] as const, days: 7, transactions: 500, seed: 1, now }
  const history = createHistory({ ...request, people: [person] })

  it('is the same for the same seed, and another for another', () => {
    expect(createHistory({ ...request, people: [person] })).toEqual(history)
    expect(createHistory({ ...request, people: [person], seed: 2 })).not.toEqual(history)
  })

  it('lies within its days, in order of time', () => {
    const times = history.map(({ at }) => at.getTime())
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times[0]).toBeGreaterThan(now.getTime() - 7 * 86_400_000)
    expect(times.at(-1)).toBeLessThanOrEqual(now.getTime())
  })

  it('has about 85 % successes, all paths, repeats, and something still under way', () => {
    const last = new Map<unknown, string>()
    for (const { envelope } of history) last.set(envelope.data.transactionUuid, envelope.subType)
    const share = (status: string) =>
      [...last.values()].filter((value) => value === status).length / last.size
    expect(last.size).toBeGreaterThan(495)
    expect(share('SUCCESS')).toBeGreaterThan(0.8)
    expect(share('SUCCESS')).toBeLessThan(0.92)
    for (const status of ['FAILED', 'REFUNDED', 'LIMIT_BREACHED', 'ON_HOLD'])
      expect(share(status)).toBeGreaterThan(0)
    expect(share('PENDING') + share('IN_PROGRESS') + share('CRYPTO_TRANSFER_ISSUED')).toBeGreaterThan(0)
    const bodies = history.map(({ envelope }) => JSON.stringify(envelope))
    expect(new Set(bodies).size).toBeLessThan(bodies.length)
  })
})
