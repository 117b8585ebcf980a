import { describe, expect, it } from 'vitest'
import { circumstancesOf, type Happening } from './circumstances.ts'

describe('circumstancesOf', () => {
  it('names the hold that lasts, its cause and since when', () => {
    expect(tell('ON_HOLD', ['PENDING'], ['IN_PROGRESS'], ['ON_HOLD', 'ON_HOLD_KYC'])).toEqual({
      since: second(2),
      hold: { step: 'ON_HOLD', cause: 'kyc', reason: 'ON_HOLD_KYC' },
      led: [],
    })
  })

  it.each<[string, (readonly string[])[], string]>([
    ['a name that differed', [['senderNameMismatch'], ['ON_HOLD', 'ON_HOLD_PROCESS']], 'sender-name'],
    ['one that arrived just after', [['ON_HOLD', 'ON_HOLD_PROCESS'], ['senderNameMismatch']], 'sender-name'],
    [
      'a check of money laundering',
      [
        ['AML', 'FAILED'],
        ['ON_HOLD', 'ON_HOLD_REVIEW'],
      ],
      'aml',
    ],
    ['one of which it is not said how it went', [['AML'], ['ON_HOLD', 'ON_HOLD_PROCESS']], 'aml-unread'],
    [
      'a check that goes on',
      [
        ['AML', 'IN_REVIEW'],
        ['ON_HOLD', 'ON_HOLD_PROCESS'],
      ],
      'aml',
    ],
    [
      'not a check that passed',
      [
        ['AML', 'PASSED'],
        ['ON_HOLD', 'ON_HOLD_PROCESS'],
      ],
      'process',
    ],
    [
      'not one that passed in the end',
      [
        ['AML', 'FAILED'],
        ['ON_HOLD', 'ON_HOLD_PROCESS'],
        ['AML', 'PASSED'],
      ],
      'process',
    ],
    ['one that failed after it had passed', [['AML', 'PASSED'], ['AML', 'FAILED'], ['ON_HOLD']], 'aml'],
    ['the process', [['ON_HOLD', 'ON_HOLD_PROCESS']], 'process'],
    ['a reason of its own', [['ON_HOLD', 'ON_HOLD_NEW']], 'not-known'],
    ['KYC, whatever else came', [['senderNameMismatch'], ['ON_HOLD', 'ON_HOLD_KYC']], 'kyc'],
    [
      'its own events, not those of an earlier hold',
      [['senderNameMismatch'], ['ON_HOLD'], ['IN_PROGRESS'], ['ON_HOLD', 'ON_HOLD_PROCESS']],
      'process',
    ],
  ])('takes for the cause of a hold %s', (_, events, cause) => {
    expect(tell('ON_HOLD', ...events).hold?.cause).toBe(cause)
  })

  it('counts a hold that was told of again from its first word', () => {
    const held = ['ON_HOLD', 'ON_HOLD_KYC'] as const
    expect(tell('ON_HOLD', ['PENDING'], held, ['KYC', 'PENDING'], held).since).toBe(second(1))
    expect(tell('ON_HOLD', held, ['ON_HOLD', 'ON_HOLD_PROCESS']).since).toBe(second(1))
  })

  it('tells what led straight to where it stands, and nothing that went on in between', () => {
    const steps = (...events: (readonly string[])[]) =>
      tell(events.at(-1)?.[0] ?? '', ...events).led.map(({ step }) => step)
    expect(steps(['ON_HOLD'], ['FAILED'], ['REFUNDED'])).toEqual(['ON_HOLD', 'FAILED'])
    expect(steps(['ON_HOLD'], ['IN_PROGRESS'], ['FAILED'], ['REFUNDED'])).toEqual(['FAILED'])
    expect(steps(['ON_HOLD'], ['senderNameMismatch'], ['REFUNDED'])).toEqual(['ON_HOLD'])
    expect(steps(['ON_HOLD', 'A'], ['ON_HOLD', 'B'], ['REFUNDED'])).toEqual(['ON_HOLD'])
    expect(steps(['SUCCESS'], ['REFUNDED'])).toEqual(['SUCCESS'])
    expect(steps(['PENDING'], ['IN_PROGRESS'])).toEqual([])
  })

  it('tells of a name that differed and of a check that led to no hold, where it came to nothing', () => {
    const led = (...events: (readonly string[])[]) =>
      tell(events.at(-1)?.[0] ?? '', ...events).led.map((one) => one.step ?? one.cause)
    const [mismatch, aml] = [['senderNameMismatch'], ['AML', 'FAILED']]
    expect(led(['IN_PROGRESS'], mismatch, ['REFUNDED'])).toEqual(['sender-name'])
    expect(led(aml, ['IN_PROGRESS'], ['FAILED'])).toEqual(['aml'])
    expect(led(['FAILED'], mismatch, ['REFUNDED'])).toEqual(['FAILED', 'sender-name'])
    expect(led(mismatch, ['ON_HOLD', 'ON_HOLD_KYC'], ['REFUNDED'])).toEqual(['sender-name', 'ON_HOLD'])
    expect(led(['ON_HOLD'], mismatch, ['IN_PROGRESS'], ['FAILED'])).toEqual([])
    expect(led(aml, ['SUCCESS'])).toEqual([])
    expect(led(['AML', 'PASSED'], ['IN_PROGRESS'], ['FAILED'])).toEqual([])
    expect(led(['AML'], ['IN_PROGRESS'], ['FAILED'])).toEqual([])
  })

  it('tells nothing of the direction that began first, when both carry the id', () => {
    const said = [
      ['cryptoToFiat', 'PENDING'],
      ['cryptoToFiat', 'ON_HOLD'],
      ['fiatToCrypto', 'ON_HOLD'],
      ['cryptoToFiat', 'ON_HOLD'],
      ['fiatToCrypto', 'FAILED'],
      ['cryptoToFiat', 'FAILED'],
    ]
    const all = said.map(
      ([type = '', subType = ''], at): Happening => ({ type, subType, status: null, at: second(at) }),
    )
    expect(circumstancesOf(all, 'FAILED')).toEqual({
      since: second(4),
      hold: null,
      led: [{ step: 'ON_HOLD', cause: 'not-known', reason: null }],
    })
    expect(circumstancesOf(all, 'ON_HOLD').since).toBe(second(2))
  })

  it('gives no time to a step that was placed by rule, and knows nothing of a step that is not there', () => {
    expect(
      circumstancesOf([{ type: 'fiatToCrypto', subType: 'ON_HOLD', status: null, at: null }], 'ON_HOLD')
        .since,
    ).toBeNull()
    expect(tell('SUCCESS', ['PENDING'])).toEqual({ since: null, hold: null, led: [] })
    expect(circumstancesOf([], null)).toEqual({ since: null, hold: null, led: [] })
  })
})

const second = (at: number) => new Date(Date.UTC(2026, 0, 31, 14, 0, at)).toISOString()

/** The events are a second apart; each is a step and its `data.status`, or another type. */
const tell = (step: string, ...events: readonly (readonly string[])[]) =>
  circumstancesOf(
    events.map(([name = '', status = null], at): Happening => {
      const other = /^[a-z]|^(AML|KYC)$/.test(name)
      return {
        type: other ? name : 'fiatToCrypto',
        subType: other ? 'statusUpdate' : name,
        status,
        at: second(at),
      }
    }),
    step,
  )
