import { describe, expect, it } from 'vitest'
import { statesOf } from '#lib/deliveries/rules/event-states.ts'
import { passedChecks } from '#lib/deliveries/rules/passed-checks.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { personStatuses, worstFirst } from './worst-first.ts'

const [before, asked, soon, after] = ['2026-02-01', '2026-02-02', '2026-02-02T01:00:00Z', '2026-02-03']

const stands = (
  type: 'KYC' | 'AML' | 'duplicateUser' | 'walletCreated',
  state: string | null,
  lastMoveAt = before,
) => ({ type, state, restricted: state === null, lastMoveAt })
const shown = (status: string | null, standings: Parameters<typeof personStatuses>[1]) =>
  personStatuses({ status, statusAt: asked }, standings).map(({ type, state }) => `${type} ${state}`)

describe('beside a person’s name', () => {
  it.each<[string | null, Parameters<typeof personStatuses>[1], string[]]>([
    ['FULL_USER', [stands('AML', 'FAILED')], ['AML FAILED', 'KYC FULL_USER']],
    ['SUSPENDED', [stands('AML', 'IN_REVIEW')], ['KYC SUSPENDED', 'AML IN_REVIEW']],
    [null, [stands('KYC', 'FULL_USER'), stands('AML', 'FAILED')], ['AML FAILED', 'KYC FULL_USER']],
    [
      null,
      [stands('duplicateUser', 'DUPLICATE_USER'), stands('AML', 'FAILED')],
      ['AML FAILED', 'duplicateUser DUPLICATE_USER'],
    ],
    ['FULL_USER', [stands('AML', 'PASSED'), stands('walletCreated', 'WALLET_CREATED')], ['KYC FULL_USER']],
    // The contract names no state of a check, so another word may be its bad end (§6.7).
    ['FULL_USER', [stands('AML', 'REJECTED')], ['AML REJECTED', 'KYC FULL_USER']],
    ...[...passedChecks, 'PENDING'].map((state): [string, Parameters<typeof personStatuses>[1], string[]] => [
      'FULL_USER',
      [stands('AML', state)],
      ['KYC FULL_USER'],
    ]),
    // The role may not see how the check went.
    ['KYC_PENDING', [stands('AML', null)], ['KYC KYC_PENDING']],
    // The profile is newer than the events.
    ['FULL_USER', [stands('KYC', 'SUSPENDED')], ['KYC FULL_USER']],
    ['FULL_USER', [stands('KYC', 'SUSPENDED', asked)], ['KYC FULL_USER']],
    // The event is newer.
    [
      'KYC_PENDING',
      [stands('KYC', 'FULL_USER', after), stands('AML', 'FAILED')],
      ['AML FAILED', 'KYC FULL_USER'],
    ],
    ['FULL_USER', [stands('AML', 'PASSED', after)], ['KYC FULL_USER']],
    ['KYC_PENDING', [stands('KYC', 'FULL_USER', soon)], ['KYC FULL_USER']],
    // The order of the event is in doubt: it may be a retry of what happened before.
    ['FULL_USER', [{ ...stands('KYC', 'KYC_PENDING', soon), doubt: 'order-unsure' }], ['KYC FULL_USER']],
    ['FULL_USER', [{ ...stands('KYC', 'KYC_PENDING', after), doubt: 'order-unsure' }], ['KYC KYC_PENDING']],
    // The event says nothing, or nothing that the role may see.
    ['FULL_USER', [stands('KYC', null, after)], ['KYC FULL_USER']],
    [null, [], []],
  ])('shows for the status %s with %j: %j', (status, standings, expected) => {
    expect(shown(status, standings)).toEqual(expected)
  })

  it('asks the events when the directory has nobody', () => {
    expect(personStatuses(null, [stands('KYC', 'FULL_USER')])).toMatchObject([{ state: 'FULL_USER' }])
  })

  it('never puts a failure after a good status, whatever their order and types', () => {
    const all = (['KYC', 'AML', 'duplicateUser', 'walletCreated'] as const).flatMap((type) =>
      statesOf[type].map((state) => stands(type, state)),
    )
    const tones = worstFirst(all).map(
      ({ type, state }) => eventLabel({ type, subType: state, status: state }).tone,
    )
    expect(tones.lastIndexOf('fail')).toBeLessThan(tones.indexOf('held'))
    expect(tones.lastIndexOf('held')).toBeLessThan(tones.indexOf('done'))
    expect(worstFirst(all.toReversed()).map(({ type }) => type)).toHaveLength(all.length)
  })
})
