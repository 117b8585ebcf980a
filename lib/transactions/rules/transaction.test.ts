import { describe, expect, it } from 'vitest'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { foldSamples, type Sample, start, step, transactionUuid } from '../../../test/sample-deliveries.ts'
import { type ProjectedTransaction, projectTransaction } from './transaction.ts'

describe('projectTransaction', () => {
  it('builds a fiat to stablecoin transaction from all its events', () => {
    const transaction = project([
      { at: 0, body: step('PENDING', { amountFiat: 4.76, currencyFiat: 'EUR' }) },
      {
        at: 4,
        body: step('IN_PROGRESS', {
          status: 'OUTSIDE_TRANSFER_IN_REVIEW',
          senderDetails: {
            senderName: 'A R',
            senderCountry: 'ES',
            accountDetails: { currency: 'EUR', iban: 'ES91 2100' },
          },
          internalBankAccountId: 'b-1',
        }),
      },
      {
        at: 38,
        body: step('CRYPTO_TRANSFER_ISSUED', {
          amountCrypto: 5,
          currencyCrypto: 'usdc',
          chain: 'polygon',
          transactionHash: '0xabc',
          walletAddress: '0xdef',
          fees: 0.0095,
        }),
      },
      { at: 48, body: step('SUCCESS', { status: 'PROCESS_COMPLETED' }) },
    ])
    expect(transaction).toEqual({
      id: transactionUuid,
      direction: 'fiatToCrypto',
      step: 'SUCCESS',
      reason: 'PROCESS_COMPLETED',
      rank: 3,
      amountFiat: '4.76',
      amountCrypto: '5',
      amountRefunded: null,
      fees: '0.0095',
      limit: null,
      currencyFiat: 'EUR',
      currencyCrypto: 'usdc',
      chain: 'polygon',
      transactionHash: '0xabc',
      walletAddress: '0xdef',
      sendingAddress: null,
      sender: { name: 'A R', country: 'ES', iban: 'ES91 2100', currency: 'EUR' },
      beneficiary: null,
      userUuid: 'c0ffee00-0000-4000-8000-000000000001',
      internalBankAccountId: 'b-1',
      linkedBankAccountUuid: null,
      remoteBankAccountUuid: null,
      startedAt: start,
      stepBeganAt: start + 48_000,
      lastMoveAt: start + 48_000,
      lastReceivedAt: start + 48_000,
      finishedAt: start + 48_000,
      endedAt: start + 48_000,
      durationSeconds: 48,
      flags: [],
    } satisfies ProjectedTransaction)
  })

  it('reads sender and beneficiary of a stablecoin to fiat transaction', () => {
    const transaction = project([
      {
        at: 0,
        body: {
          ...step('LIMIT_BREACHED', {
            direction: 'cryptoToFiat',
            sendingAddress: '0x1',
            remoteBankAccountUuid: 'r-1',
            limit: 1,
            beneficiaryDetails: {
              receiverName: 'B',
              accountDetails: { currency: 'GBP', accountNumber: '123', bankCode: '04', bankName: 'Bank' },
            },
          }),
          type: 'cryptoToFiat',
        },
      },
    ])
    expect(transaction).toMatchObject({
      direction: 'cryptoToFiat',
      limit: '1',
      sendingAddress: '0x1',
      remoteBankAccountUuid: 'r-1',
      beneficiary: { name: 'B', accountNumber: '123', bankCode: '04', bankName: 'Bank', currency: 'GBP' },
      sender: null,
      durationSeconds: null,
    })
  })

  it('takes of each field the latest value given in timeline order, not in order of arrival', () => {
    const transaction = project([
      { at: 0, body: step('CRYPTO_TRANSFER_ISSUED', { amountCrypto: 5, amountFiat: 4.7 }) },
      { at: 100, body: step('IN_PROGRESS', { amountCrypto: 4, chain: 'base' }) },
      { at: 200, body: step('SUCCESS', { amountFiat: null, amountCrypto: '6' }) },
    ])
    expect(transaction).toMatchObject({ amountCrypto: '6', amountFiat: '4.7', chain: 'base' })
  })

  it.each([
    ['12345678901234567890.123', '12345678901234567890.123'],
    ['1.10', '1.10'],
    ['-0', '-0'],
    ['1e400', '1e400'],
    ['1e401', null],
    ['1e999999999999', null],
    ['9'.repeat(401), null],
    ['"5"', '5'],
    ['" 255.90 "', '255.90'],
    ['true', null],
    ['{"a":1}', null],
  ])('reads the amount %s as %s', (written, amount) => {
    const body = `{"type":"fiatToCrypto","subType":"PENDING","data":{"transactionUuid":"t","amountFiat":${written}}}`
    expect(project([{ at: 0, body }]).amountFiat).toBe(amount)
  })

  it.each<[unknown]>([
    ['255,88'],
    [{ amount: 255.88 }],
    [[255]],
    [false],
    ['€255'],
    ['1 000'],
    ['+5'],
    ['0x10'],
  ])('does not let an earlier amount stand for %j, and says so', (amountFiat) => {
    const before = { at: 0, body: step('PENDING', { amountFiat: 255.9, fees: 1 }) }
    const unread = { at: 100, body: step('SUCCESS', { amountFiat }) }
    expect(project([before, unread])).toMatchObject({
      amountFiat: null,
      fees: '1',
      flags: ['amount-not-readable'],
    })
    const events = foldSamples([before, unread]).events.map(({ flags }) => flags)
    expect(events).toEqual([[], ['amount-not-readable']])
    const after = { at: 200, body: step('REFUNDED', { amountFiat: '255.9' }) }
    expect(project([before, unread, after])).toMatchObject({ amountFiat: '255.9' })
    expect(project([before, unread, after]).flags).not.toContain('amount-not-readable')
  })

  it('reads an account number, a bank code and ids of accounts as a number as it does as a text', () => {
    const given = (value: string) =>
      project([
        {
          at: 0,
          body: `{"type":"cryptoToFiat","subType":"PENDING","data":{"transactionUuid":"t","chain":${value},
            "internalBankAccountId":${value},"linkedBankAccountUuid":${value},"remoteBankAccountUuid":${value},
            "beneficiaryDetails":{"accountDetails":{"accountNumber":${value},"bankCode":${value}}}}}`,
        },
      ])
    expect(given('31926819')).toEqual({ ...given('"31926819"'), chain: null })
    expect(given('31926819').beneficiary).toMatchObject({ accountNumber: '31926819', bankCode: '31926819' })
    for (const no of ['-1', '1.0', '1e3', 'true', '{}']) expect(given(no).beneficiary, no).toBeNull()
  })

  it.each([[null], ['']])('takes %j for an amount that is not given', (amountFiat) => {
    const given = [step('PENDING', { amountFiat: 1 }), step('SUCCESS', { amountFiat })]
    const transaction = project(given.map((body, at) => ({ at: at * 100, body })))
    expect(transaction).toMatchObject({ amountFiat: '1', flags: [] })
  })

  it('says when it came to where it stands, as its page does', () => {
    const at = (seconds: number, body: object) => ({ at: seconds, body })
    const held = (amountFiat: number) => ({
      ...step('ON_HOLD'),
      data: { ...step('ON_HOLD').data, amountFiat },
    })
    const mismatch = { type: 'senderNameMismatch', subType: 'x', data: step('ON_HOLD').data }
    const reported = [at(0, step('PENDING')), at(10, held(5)), at(20, mismatch), at(30, held(6))]
    expect(project(reported)).toMatchObject({ step: 'ON_HOLD', stepBeganAt: start + 10_000 })
    expect(project(reported).lastMoveAt).toBe(start + 30_000)
    expect(project([at(0, mismatch)]).stepBeganAt).toBeNull()
  })

  it('derives no duration from a creation that was placed by rule', () => {
    const transaction = project([
      { at: 10, body: step('SUCCESS') },
      { at: 20, body: step('PENDING') },
    ])
    expect(transaction).toMatchObject({
      startedAt: start + 10_000,
      lastMoveAt: start + 10_000,
      lastReceivedAt: start + 20_000,
      finishedAt: start + 10_000,
      durationSeconds: null,
      flags: [],
    })
  })

  it('derives none although the creation was received before the outcome', () => {
    const transaction = project([
      { at: 0, body: step('IN_PROGRESS') },
      { at: 5, body: step('PENDING') },
      { at: 48, body: step('SUCCESS') },
    ])
    expect(transaction).toMatchObject({ finishedAt: start + 48_000, durationSeconds: null })
  })

  it.each<[string, readonly [Partial<Sample>, Partial<Sample>], number | null]>([
    ['all attempts are known', [{}, {}], 900],
    ['the outcome was refused before', [{}, { refusedAt: [100, 103, 169] }], null],
    ['the outcome may have been tried in an outage', [{}, { earliestAttempt: 98 }], null],
    ['the creation was refused before', [{ refusedAt: [-3] }, {}], null],
    ['the creation may have been tried in an outage', [{ earliestAttempt: -3 }, {}], null],
  ])('says how long it took only when no attempt may have failed: %s', (_, [creation, outcome], seconds) => {
    const quiet = { otherReceivers: 0, earliestAttempt: null }
    expect(
      project([
        { ...quiet, at: 0, body: step('PENDING'), ...creation },
        { ...quiet, at: 40, body: step('IN_PROGRESS'), earliestAttempt: 10 },
        { ...quiet, at: 900, body: step('SUCCESS'), ...outcome },
      ]),
    ).toMatchObject({ finishedAt: start + 900_000, durationSeconds: seconds })
  })

  it.each<{ name: string; more: Sample[]; finished: number; seconds?: null }>([
    { name: 'in the same words', more: [{ at: 3 * 86_400, body: step('SUCCESS') }], finished: 48 },
    { name: 'with fees', more: [{ at: 18_000, body: step('SUCCESS', { fees: 1 }) }], finished: 48 },
    {
      name: 'for another reason, twice',
      more: [
        { at: 18_000, body: step('SUCCESS', { status: 'PROCESS_COMPLETED' }) },
        { at: 36_000, body: step('SUCCESS', { status: 'ARCHIVED' }) },
      ],
      finished: 48,
    },
    {
      name: 'and an earlier one is delivered after it',
      more: [{ at: 69, body: step('SUCCESS', { fees: 1 }), refusedAt: [40, 43], earliestAttempt: 38 }],
      finished: 48,
      // The outcome was first tried before it came.
      seconds: null,
    },
    {
      name: 'after a refund has ended it',
      more: [
        { at: 18_000, body: step('REFUNDED') },
        { at: 36_000, body: step('REFUNDED', { amountRefunded: 1 }) },
      ],
      finished: 18_000,
    },
    {
      name: 'after it went on',
      more: [
        { at: 2 * 86_400, body: step('IN_PROGRESS') },
        { at: 3 * 86_400, body: step('SUCCESS') },
      ],
      finished: 3 * 86_400,
    },
  ])(
    'has finished when the outcome first came, although it came again $name',
    ({ more, finished, seconds = finished }) => {
      const given = [{ at: 0, body: step('PENDING') }, { at: 48, body: step('SUCCESS') }, ...more]
      const quiet = given.map((sample) => ({ otherReceivers: 0, earliestAttempt: null, ...sample }))
      expect(project(quiet)).toMatchObject({
        finishedAt: start + finished * 1_000,
        durationSeconds: seconds,
        flags: [],
      })
    },
  )

  it.each<[string, [at: number, subType: string][], ended: number]>([
    ['it has one outcome', [[60, 'FAILED']], 60],
    [
      'a refund follows a failure',
      [
        [60, 'FAILED'],
        [9_000, 'REFUNDED'],
      ],
      60,
    ],
    [
      'it was held in between',
      [
        [60, 'FAILED'],
        [90_000, 'ON_HOLD'],
        [180_000, 'REFUNDED'],
      ],
      180_000,
    ],
  ])('has ended since it had outcomes alone: %s', (_, moves, ended) => {
    const given: Sample[] = [[0, 'PENDING'] as const, ...moves].map(([at, subType]) => ({
      at,
      body: step(subType),
    }))
    expect(project(given)).toMatchObject({
      endedAt: start + ended * 1_000,
      finishedAt: start + (moves.at(-1)?.[0] ?? 0) * 1_000,
    })
    expect(project(given.slice(0, 1)).endedAt).toBeNull()
  })

  it('flags a conflict when the outcome is contradicted', () => {
    const transaction = project([
      { at: 0, body: step('SUCCESS') },
      { at: 100, body: step('FAILED') },
    ])
    expect(transaction).toMatchObject({ step: 'FAILED', flags: ['conflict'] })
  })

  describe.each(directions)('of which the direction %s begins last', (type) => {
    const other = directions.find((direction) => direction !== type)
    const now = (subType: string, data = {}) => ({ ...step(subType, data), type })
    const earlier = (subType: string, data = {}) => ({ ...step(subType, data), type: other })
    const quiet = (...given: [at: number, body: unknown, earliestAttempt?: number][]) =>
      project(
        given.map(([at, body, tried = null]) => ({ at, body, otherReceivers: 0, earliestAttempt: tried })),
      )

    it('is told by that direction alone', () => {
      const transaction = quiet(
        [0, earlier('PENDING', { amountFiat: 10 })],
        [60, now('PENDING')],
        [120, now('IN_PROGRESS', { amountFiat: 99 })],
        [180, earlier('IN_PROGRESS', { amountFiat: 10, amountCrypto: '5,5', chain: 'base' })],
      )
      expect(transaction).toMatchObject({
        direction: type,
        step: 'IN_PROGRESS',
        amountFiat: '99',
        amountCrypto: null,
        chain: null,
        stepBeganAt: start + 120_000,
        startedAt: start,
        lastMoveAt: start + 180_000,
        flags: [],
      })
    })

    it('ends by that direction, and contradicts nothing of the other', () => {
      const given: [number, unknown][] = [
        [0, earlier('PENDING')],
        [60, earlier('SUCCESS')],
        [108_000, now('PENDING')],
        [108_060, now('FAILED')],
      ]
      const ended = { step: 'FAILED', finishedAt: start + 108_060_000, durationSeconds: 60, flags: [] }
      expect(quiet(...given)).toMatchObject(ended)
      // The other direction has the same outcome later.
      expect(quiet(...given, [108_090, earlier('FAILED')])).toMatchObject(ended)
    })

    it('is in no doubt because of the other direction', () => {
      const doubted: [number, unknown, number?][] = [
        [0, earlier('PENDING')],
        [100, earlier('ON_HOLD')],
        [120, earlier('ON_HOLD', { status: 'ON_HOLD_KYC' }), 90],
      ]
      expect(quiet(...doubted).flags).toEqual(['order-unsure'])
      expect(quiet(...doubted, [500, now('PENDING')]).flags).toEqual([])
      const check = (status: string) => ({ type: 'AML', data: { ...step('').data, status } })
      const checked = quiet([0, now('PENDING')], [100, check('IN_REVIEW')], [100.5, check('FAILED')])
      expect(checked.flags).toEqual(['order-unsure'])
    })
  })

  it('takes no amounts from events that are not of a transaction type', () => {
    const transaction = project([
      { at: 0, body: step('PENDING', { amountFiat: 1 }) },
      { at: 1, body: { ...step('CHECK', { amountFiat: 2, status: 'FLAGGED' }), type: 'AML' } },
    ])
    expect(transaction).toMatchObject({ amountFiat: '1', step: 'PENDING', reason: null })
    expect(transaction.direction).toBe('fiatToCrypto')
  })

  it.each([
    ['AML', { status: 'FAILED' }],
    ['AML', { direction: 'fiatToCrypto', amountFiat: 2 }],
    ['senderNameMismatch', {}],
    ['linkBankAccount', { status: 'ACTIVE' }],
    ['not-known-yet', { direction: 'sideways', chain: 'base' }],
  ])('has no status while only an event of the type %s names it, with %j', (type, data) => {
    const check = { at: 0, body: { ...step('FAILED', { direction: null, ...data }), type } }
    const none = { direction: null, step: null, reason: null, rank: null, amountFiat: null, chain: null }
    expect(project([check])).toMatchObject({ ...none, startedAt: start, finishedAt: null })
    expect(project([check]).userUuid).toBe(step('').uuid)
    const moved = project([check, { at: 10, body: step('PENDING', { amountFiat: 1 }) }])
    expect(moved).toMatchObject({ direction: 'fiatToCrypto', step: 'PENDING', amountFiat: '1' })
  })

  it('is null for any other subject', () => {
    const fold = foldSamples([{ at: 0, body: step('PENDING') }], { kind: 'entity', id: 'u' })
    expect(projectTransaction(fold)).toBeNull()
  })
})

function project(samples: readonly Sample[]): ProjectedTransaction {
  const transaction = projectTransaction(foldSamples(samples))
  if (!transaction) throw new Error('no transaction')
  return transaction
}
