import { describe, expect, it } from 'vitest'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { companyHeadline } from './event-company-headline.ts'

const tell = (...standings: readonly (readonly [EventType, string | null])[]) =>
  companyHeadline(standings.map(([type, state]) => ({ type, state, restricted: false })))

describe('the headline of a company', () => {
  it.each([
    [[['KYB', 'KYB_PENDING']], 'Company is being verified', 'Nobody here has to act: the provider decides.'],
    [[['KYB', 'KYB_PASSED']], 'Company is verified', 'Nobody has to act.'],
    [
      [['KYB', 'KYB_FAILED']],
      'Company could not be verified',
      'Ask the provider why, and whether the company may try again.',
    ],
    [
      [
        ['entityStatusUpdate', 'ACTIVE'],
        ['KYB', 'KYB_PASSED'],
      ],
      'Company is active, and is verified',
      'Nobody has to act.',
    ],
  ] as const)('says of %j: %s', (standings, sentence, next) => {
    expect(tell(...standings)).toMatchObject({ sentence, next })
  })

  it('begins with what somebody must act on, whatever was said last', () => {
    expect(tell(['KYB', 'KYB_PASSED'], ['entityStatusUpdate', 'SUSPENDED'])).toMatchObject({
      sentence: 'Company is suspended, and is verified',
      deciding: { type: 'entityStatusUpdate' },
      next: 'Compliance decides; ask the provider why.',
    })
    expect(tell(['entityStatusUpdate', 'SUSPENDED'], ['KYB', 'KYB_FAILED']).sentence).toBe(
      'Company is suspended, and could not be verified',
    )
  })

  it('shows a state that nobody knows as it came, and says when there is none', () => {
    expect(tell(['entityStatusUpdate', 'FROZEN'])).toMatchObject({
      sentence: 'Company: FROZEN',
      next: 'Ask the provider what “FROZEN” means.',
    })
    expect(tell(['AML', 'FAILED'])).toEqual({
      sentence: 'Company, of which no state was received',
      deciding: null,
      meaning: null,
      next: null,
    })
    expect(tell().sentence).toBe('Company, of which no state was received')
  })
})
