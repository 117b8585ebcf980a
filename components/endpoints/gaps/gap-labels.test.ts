import { describe, expect, it } from 'vitest'
import { gapKinds, gapSeverity } from '#lib/endpoints/rules/gaps.ts'
import { gapView } from '../../../test/gap-view.ts'
import { gapNextStep } from './gap-callout.tsx'
import { gapProviderText } from './gap-exports.tsx'
import {
  gapMeaning,
  gapStateLabel,
  gapTitle,
  otherEndpointsMessage,
  refusalReasonsMessage,
} from './gap-labels.ts'

const other = { uuid: 'b', name: 'B', deliveries: 1, exact: true, isFullSubstitute: true, hadGap: false }

describe('a gap of one endpoint', () => {
  it('says of another endpoint with a gap that its own deliveries are no longer missing', () => {
    const otherEndpoints = [{ ...other, deliveries: 0, hadGap: true }]
    expect(otherEndpointsMessage({ otherEndpoints })).toMatch(
      /^“B” was off then too, and nothing is missing there any more\..*probably nothing is missing\.$/,
    )
    expect(
      otherEndpointsMessage({ otherEndpoints: [{ ...other, isFullSubstitute: false, hadGap: true }] }),
    ).toMatch(/^“B” received 1 delivery in that time\. It may not /)
  })

  it('has a lower severity when another endpoint was sent the same, and says so without a promise', () => {
    const gap = { kind: 'auto-disabled', endedAt: null, closed: null, retries: null } as const
    expect(gapSeverity({ ...gap, otherEndpoints: [] })).toBe('error')
    expect(gapSeverity({ ...gap, otherEndpoints: [{ ...other, isFullSubstitute: false }] })).toBe('error')
    expect(gapSeverity({ ...gap, otherEndpoints: [other] })).toBe('info')
    expect(gapStateLabel({ ...gap, otherEndpoints: [other] })).toEqual({
      label: 'Ongoing',
      tone: 'held',
    })
    expect(gapStateLabel({ ...gap, endedAt: '2026-02-01T09:00:00Z', otherEndpoints: [] })).toEqual({
      label: 'Over, not closed',
      tone: 'wait',
    })
    expect(otherEndpointsMessage({ otherEndpoints: [other] })).toBe(
      '“B” received 1 delivery in that time. It has the same events, so probably nothing is missing.',
    )
    expect(
      otherEndpointsMessage({
        otherEndpoints: [{ ...other, deliveries: 1000, exact: false, isFullSubstitute: false }],
      }),
    ).toBe('“B” received more than 1,000 deliveries in that time. It may not have all that was missing.')
    expect(otherEndpointsMessage({ otherEndpoints: [] })).toBeNull()
  })

  it('has a lower severity while deferred deliveries are still retried', () => {
    const gap = { kind: 'deferred', endedAt: '2026-02-01T09:00:00Z', otherEndpoints: [] } as const
    expect(gapSeverity({ ...gap, retries: { until: '2026-02-01T10:00:00Z' } })).toBe('info')
    expect(gapSeverity({ ...gap, retries: 'given-up' })).toBe('warning')
    expect(gapSeverity({ ...gap, endedAt: null, retries: null })).toBe('error')
  })

  it('has a label', () => {
    expect(gapTitle({ kind: 'silent', endpoint: null })).toBe('No deliveries, which is unusual')
    expect(gapTitle({ kind: 'silent', endpoint: { uuid: 'a', name: 'A' } })).toBe(
      'No deliveries to “A”, which is unusual',
    )
    expect(gapTitle({ kind: 'disabled', endpoint: null })).toBe('An endpoint was disabled')
  })
})

it.each(gapKinds.filter((one) => one !== 'restored'))(
  'a gap of the kind %s that is over is described in the past tense',
  (kind) => {
    const meaning = (endedAt: string | null) => gapMeaning({ kind, endedAt })
    const over = meaning('2026-02-01T09:00:00Z')
    expect(over).not.toMatch(/\b(is|are|cannot|does not|happens|until an admin|goes on|Settings)\b/)
    expect(over).not.toBe(meaning(null))
  },
)

describe('the text for the provider', () => {
  const gap = {
    ...gapView({ kind: 'restored', endpoint: null, endedAt: '2026-11-20T02:20:00.000Z' }),
    transactions: [],
    unheard: 0,
    total: { count: 0, exact: true },
  }

  it('says after a restore that we accepted and lost the deliveries, and asks for them even when nothing was open', () => {
    expect(gapProviderText(gap)).toBe(
      [
        'Our database was restored from a backup. Webhook deliveries acknowledged from 2026-11-20T02:10:00.000Z to 2026-11-20T02:20:00.000Z (UTC) are gone and are not retried.',
        'No known transaction was open.',
        '',
        'Please send the notifications of that time again.',
      ].join('\n'),
    )
  })

  it('says for any other kind that deliveries may be missing', () => {
    expect(gapProviderText({ ...gap, kind: 'down' })).toMatch(/^Webhook deliveries may be missing from /)
  })
})

describe('the next step', () => {
  const now = Date.parse('2026-02-01T10:00:00Z')
  it.each([
    ['encoded', /^Rejected: 4 had an unreadable compression\. Ask the provider/],
    ['no-authorization', /^Rejected: 4 came without Authorization\. .*proxy/],
    ['wrong-secret', /^Rejected: 4 carried a wrong secret\. .*rotate/],
  ] as const)('of %s says so, and what helps while it lasts', (why, words) => {
    const reasons = [{ why, count: 4 }]
    expect(gapMeaning({ kind: 'refused', endedAt: null, reasons })).toMatch(words)
    if (why !== 'wrong-secret')
      expect(gapMeaning({ kind: 'refused', endedAt: null, reasons })).not.toMatch(/secret|rotate/)
  })

  const over = {
    kind: 'down',
    reasons: [],
    closed: null,
    endedAt: '2026-02-01T09:00:00Z',
    otherEndpoints: [],
    retries: null,
    unheard: 0,
    total: { count: 3, exact: true },
  } as const
  const retries = { until: '2026-02-01T10:00:01Z' }

  it.each([
    [
      'names what helps while deliveries are deferred',
      {
        ...over,
        kind: 'deferred',
        endedAt: null,
        unheard: 2,
        reasons: [{ why: 'secret-not-checkable', count: 50 }],
      } as const,
      /^Put the earlier keys back into RAMPART_KEYS/,
    ],
    ['waits for retries first', { ...over, retries, unheard: 2 }, /Wait/],
    ['asks for what was not heard of', { ...over, unheard: 1 }, /the 1 transaction without an update since/],
    [
      'asks when retries are over',
      { ...over, retries: { until: over.endedAt }, unheard: 2 },
      /the 2 transactions/,
    ],
    [
      'asks while it lasts',
      { ...over, endedAt: null, unheard: 2 },
      /^Ask the provider about the 2 transactions that may have progressed/,
    ],
    [
      'names the condition when another endpoint brought the same',
      { ...over, unheard: 2, otherEndpoints: [other] },
      /^If “B”/,
    ],
    [
      'asks for the key that was refused',
      { ...over, kind: 'key-refused', endedAt: null, unheard: 2 } as const,
      /valid key/,
    ],
    [
      'looks for the provider that is away',
      { ...over, kind: 'not-seen', endedAt: null, unheard: 2 } as const,
      /status page/,
    ],
    [
      'checks what could not be seen',
      { ...over, kind: 'not-seen', unheard: 2 } as const,
      /^Check with the provider that no endpoint/,
    ],
    ['closes when all were heard of', over, /had an update since. An admin can close this/],
    [
      'asks whether what another missed too has come',
      { ...over, otherEndpoints: [{ ...other, hadGap: true }] },
      /^If “B” has since received what it missed/,
    ],
    [
      'asks for all of it after a backup was restored, since what began in it is not known',
      { ...over, kind: 'restored' } as const,
      /^Ask the provider to send its notifications again/,
    ],
    ['compares when nothing was open', { ...over, total: { count: 0, exact: true } }, /compare/],
  ])('%s', (_name, gap, words) => {
    expect(gapNextStep(gap, now)).toMatch(words)
  })

  it('is null when the gap is closed, or lasts without unaccounted transactions', () => {
    const closed = { outcome: 'no-gap', reason: '', by: '', at: '' } as const
    expect(gapNextStep({ ...over, closed }, now)).toBeNull()
    expect(gapNextStep({ ...over, endedAt: null }, now)).toBeNull()
  })
})

it.each([
  ['wrong-method', '1 came by another method than POST'],
  ['broken-off', '1 broke off before the end'],
  ['no-memory', '1 found no memory left for the body'],
] as const)('counts one delivery that was refused for %s', (why, words) => {
  expect(refusalReasonsMessage([{ why, count: 1 }])).toBe(words)
})
