import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import type { GapOutcome } from '#lib/endpoints/rules/gaps.ts'
import { gapView, substitute } from '../../../test/gap-view.ts'
import { GapLead } from './gap-callout.tsx'

const now = Date.parse('2026-11-20T02:30:00.000Z')
const gap = gapView({
  kind: 'deferred',
  endedAt: '2026-11-20T02:20:00.000Z',
  retries: { until: '2026-11-20T03:00:00.000Z' },
})

function lead(given: Partial<GapView>): string {
  const children = createElement(GapLead, { gap: { ...gap, ...given }, now })
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return html.replaceAll(/<[^>]+>/g, '')
}

it('says that deferred deliveries come again, for as long as they do', () => {
  expect(lead({})).toMatch(/^Deliveries between .* are retried\./)
  for (const retries of ['given-up', 'cut-off', { until: gap.beganAt }] as const)
    expect(lead({ retries })).toMatch(/^Deliveries may be missing between /)
  expect(lead({ endedAt: null, retries: null })).toMatch(/^Deliveries may be missing since /)
})

it.each(['key-refused', 'not-seen'] as const)('says of a gap %s what is not known, and no more', (kind) => {
  expect(lead({ kind, retries: null })).toMatch(/^Whether an endpoint was off between .* is not known\./)
  expect(lead({ kind, retries: null, endedAt: null })).toMatch(
    /^Whether an endpoint was off since .* is not known\./,
  )
})

it('names the endpoint whose deliveries may be missing when another endpoint was sent the same', () => {
  expect(lead({ kind: 'disabled', retries: null, otherEndpoints: [substitute] })).toMatch(
    /^One endpoint may have missed deliveries between .* “All” received 8 deliveries/,
  )
})

it.each<[GapOutcome, RegExp]>([
  ['nothing-missing', /^Checked: no deliveries are missing between [^.]+\.$/],
  ['recovered', /^Deliveries were missing between [^.]+, and have been recovered\.$/],
  ['some-missing', /^Deliveries are missing between [^.]+ for good\.$/],
  ['no-gap', /^What was seen between [^.]+ was a false alarm\.$/],
])('shows the outcome once the gap is closed: %s', (outcome, words) => {
  expect(lead({ closed: { outcome, reason: 'r', by: 'b', at: gap.endedAt ?? '' } })).toMatch(words)
})

it('says after a restore that deliveries acknowledged after the backup are gone and do not come again', () => {
  const restored = { kind: 'restored', endpoint: null, retries: null } as const
  expect(lead(restored)).toMatch(
    /^Deliveries that were acknowledged between [^.]+ are no longer here, and will not be sent again\. .* Unacknowledged deliveries are retried\.\s*$/,
  )
  expect(
    lead({ ...restored, closed: { outcome: 'recovered', reason: 'r', by: 'b', at: gap.beganAt } }),
  ).toMatch(/^Deliveries were missing between .*, and have been recovered\.$/)
})

it('shows for a lasting gap only what was found until it was closed', () => {
  const closed = { outcome: 'recovered', reason: 'r', by: 'b', at: '2026-11-20T02:30:00.000Z' } as const
  const lasts = { closed, endedAt: null, retries: null } as const
  expect(lead(lasts)).toMatch(
    /^Deliveries were missing between [^.]+ and [^.]+02:30:00, and have been recovered\. Later ones may be missing\.$/,
  )
  expect(lead({ ...lasts, otherEndpoints: [substitute] })).not.toContain('may be missing')
  expect(lead({ ...lasts, closed: { ...closed, outcome: 'no-gap' } })).toMatch(
    /^What was seen since .* was a false alarm\.$/,
  )
})
