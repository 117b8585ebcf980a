import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { PersonStandings } from '#components/people/person-profile.tsx'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { EventDetailsView } from '#lib/timeline/event-view.ts'
import type { SameReason } from '#lib/timeline/rules/decide-repeat.ts'
import type { EventFlag } from '#lib/timeline/rules/subject-event.ts'
import { EventNotes } from './event-facts.tsx'
import { CameAgain, EventMarks, UndecidedState } from './event-marks.tsx'

const at = '2026-02-01T00:33:58.000Z'
const said = 'retry or repeat'

const event = (
  flags: readonly EventFlag[] = [],
  given: Partial<EventDetailsView> = {},
): EventDetailsView => ({
  id: '1',
  subjectId: 'entity:x',
  type: 'KYC',
  subType: 'statusUpdate',
  status: 'KYC_PENDING',
  entityUuid: null,
  firstReceivedAt: '2026-02-01T00:30:00.000Z',
  lastReceivedAt: at,
  placedBefore: null,
  cameAgainId: null,
  cameAgainAt: null,
  deliveries: 1,
  unreadable: null,
  flags,
  transactionUuid: null,
  userEmail: null,
  restricted: false,
  position: 0,
  rank: null,
  body: null,
  wholeBody: 'plain',
  bodyLeft: null,
  received: [],
  ...given,
})
const again = (flags: readonly EventFlag[] = [], given: Partial<EventDetailsView> = {}) =>
  event(flags, { cameAgainId: '3', cameAgainAt: at, ...given })

const html = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
/** The text has neither markup nor the days of times. */
const words = (markup: string) => markup.replaceAll(/<[^>]*>|1 Feb /g, '').replaceAll(/\s+/g, ' ')

describe('in a line of a list', () => {
  const marks = (flags: readonly EventFlag[], given = event(flags)) =>
    html(createElement(EventMarks, { event: given }))

  it.each([
    ['late', 'Late'],
    ['order-unsure', 'Order unconfirmed'],
    ['repeat-unsure', 'Possibly finished'],
  ] as const)('says that it is %s only where a state hangs on it', (flag, label) => {
    expect(marks([flag])).toBe('')
    expect(words(marks(['decisive', flag]))).toBe(label)
    expect(marks(['decisive', flag])).toMatch(/title="[^"]+" class="text-held/)
  })

  it('shows a conflict always, and nothing for an event without flags', () => {
    expect(words(marks(['conflict']))).toBe('Conflict')
    expect(marks([])).toBe('')
    expect(marks(['decisive'])).toBe('')
  })

  it('shows once that it came again, in grey when no state depends on it', () => {
    const line = (flags: readonly EventFlag[]) => html(createElement(CameAgain, { event: again(flags) }))
    expect(words(line([]))).toBe(`received again 00:33:58 (${said})`)
    expect(line(['order-unsure'])).toContain('text-muted')
    expect(line(['decisive', 'order-unsure'])).toContain('text-held')
    expect(marks([], again(['decisive', 'order-unsure', 'repeat-unsure']))).toBe('')
    expect(html(createElement(CameAgain, { event: event() }))).toBe('')
  })
})

/** Each note has its tone: `held` is amber, `wait` is grey. */
const notesOf = (given: EventDetailsView) => {
  const markup = html(createElement(EventNotes, { event: given }))
  return [...markup.matchAll(/data-tone="(\w+)"[^>]*>(.*?)<\/span><\/p>/g)].map(
    ([, tone, text = '']) => `${tone}: ${words(text)}`,
  )
}

describe('below an event', () => {
  it.each([
    ['late', 'Arrived late at 00:30:00; shown in its proper place', 'Late'],
    ['order-unsure', 'It and the event before it', 'Order unconfirmed'],
    ['repeat-unsure', 'The event before it was received again', 'Possibly finished'],
  ] as const)(
    'explains that it is %s, and only names it where the page says above what hangs on it',
    (flag, harmless, decisive) => {
      expect(notesOf(event([flag]))).toEqual([expect.stringContaining(`wait: ${harmless}`)])
      expect(notesOf(event(['decisive', flag]))).toEqual([`held: ${decisive}`])
    },
  )

  it('explains a conflict and an unreadable body, and nothing that is plain', () => {
    expect(notesOf(event(['conflict']))).toEqual(['held: Conflict'])
    expect(notesOf(event([], { unreadable: 'not-json' }))).toEqual([
      'held: Its body could not be read as an event',
    ])
    expect(notesOf(event())).toEqual([])
  })

  it('names the endpoint where it came again, and the first one', () => {
    expect(notesOf(again())).toEqual([`wait: Received again 00:33:58 (${said}). First received 00:30:00`])
    expect(notesOf(again(['decisive'], { cameAgainId: '1' }))).toEqual(['held: Received again 00:33:58'])
  })
})

describe('below an event that came twice', () => {
  const received = (...reasons: readonly SameReason[]) =>
    reasons.map((reason, n) => ({
      id: String(n),
      receivedAt: at,
      endpointUuid: null,
      endpointName: null,
      answer: 'sure' as const,
      reason,
    }))
  const again: SameReason = { kind: 'happened-again', secondsAfter: 240, because: 'other-event-between' }
  const retry: SameReason = { kind: 'retry', secondsAfter: 3, from: 1, retries: 1 }
  const elsewhere: SameReason = { kind: 'other-endpoint', secondsAfter: 2 }
  const undecided: SameReason = { kind: 'repeated', secondsAfter: 4, undecided: true }

  it.each<[what: string, reasons: readonly SameReason[], note: string]>([
    ['through two endpoints', [{ kind: 'first' }, elsewhere], 'via another endpoint, 2 s later'],
    ['as a retry', [{ kind: 'first' }, retry], '3 s later: probably a retry'],
    ['more often', [{ kind: 'first' }, elsewhere, retry], '3 times: see why below'],
    ['as it happened again', [again], 'Happened again'],
  ])('shows the reason in grey, also when its state depends on another doubt: %s', (_what, reasons, note) => {
    for (const flags of [[], ['decisive', 'late']] as const) {
      const said = notesOf(event(flags, { received: received(...reasons) })).filter((one) =>
        one.includes(note),
      )
      expect(said).toEqual([expect.stringMatching(/^wait: /)])
    }
  })

  it('leaves it to the note about coming again when nobody knows the reason', () => {
    expect(notesOf(event([], { received: received({ kind: 'first' }, undecided) }))).toEqual([])
  })
})

describe('beside the state of a subject', () => {
  const failed = { id: '2', subType: 'statusUpdate', status: 'SOFT_KYC_FAILED' }
  const state = (...events: EventDetailsView[]) => html(createElement(UndecidedState, { events }))

  it('shows what came again, when that may change the state', () => {
    const markup = state(again(['decisive']), event(['decisive', 'repeat-unsure'], failed))
    expect(words(markup)).toMatch(new RegExp(`^Latest: .*, received again 00:33:58 \\(${said}\\)$`))
    expect(markup).toContain('text-held')
    expect(state(again(), event([], failed))).toBe('')
  })

  it.each(['late', 'order-unsure', 'repeat-unsure'] as const)('says that it is %s', (flag) => {
    const label = words(html(createElement(EventMarks, { event: event(['decisive', flag]) })))
    expect(words(state(event(), event(['decisive', flag], failed)))).toMatch(
      new RegExp(`^${label}, .*: .*\\.$`),
    )
    expect(state(event(), event([flag], failed))).toBe('')
  })

  it('is below the standing of its own type', () => {
    const standing = (type: 'KYC' | 'AML') => ({
      subjectId: 'entity:x',
      id: 'x',
      type,
      state: null,
      restricted: false,
      currency: null,
      entityUuid: null,
      userEmail: null,
      startedAt: at,
      lastMoveAt: at,
    })
    const standings = [standing('KYC'), standing('AML')]
    const [kyc, aml] = html(
      createElement(PersonStandings, { standings, undecided: [again(['decisive'])] }),
    ).split('</li>')
    expect(words(kyc ?? '')).toContain('Latest:')
    expect(words(aml ?? '')).not.toContain('Latest:')
  })
})
