import type { GapKind, GapOutcome } from '#lib/domain/gaps.ts'
import type { Tone } from '#lib/domain/words.ts'
import type { GapView } from '#lib/gaps/gap-view.ts'

interface KindWords {
  readonly label: string
  /** What happened, as a sentence; of an endpoint that is named. */
  readonly title: (endpoint: string) => string
  readonly meaning: string
}

/** How each kind is told. That only active endpoints get deliveries is §6; that failed ones are repeated §6.8. */
export const gapKindWords = {
  down: {
    label: 'Not taking',
    title: () => 'This dashboard took no deliveries',
    meaning: 'It was stopped, or it could not reach its database.',
  },
  refused: {
    label: 'Refused',
    title: (endpoint) => `Deliveries to ${endpoint} were refused`,
    meaning:
      'Their secret was not the current one, or they could not be taken as they came. If it goes on, rotate the secret.',
  },
  disabled: {
    label: 'Disabled',
    title: (endpoint) => `${endpoint} was disabled`,
    meaning: 'The service delivers to active endpoints only. What happened meanwhile may never be sent.',
  },
  'auto-disabled': {
    label: 'Switched off',
    title: (endpoint) => `The service switched off ${endpoint}`,
    meaning:
      'Nothing is delivered until an admin sets it to active. What happened meanwhile may never be sent.',
  },
  silent: {
    label: 'Quiet',
    title: () => 'Nothing came, against the usual pace',
    meaning: 'Perhaps nothing happened. Compare with what the provider knows.',
  },
} as const satisfies Record<GapKind, KindWords>

export const gapOutcomeWords = {
  'nothing-missing': 'Checked, nothing is missing',
  recovered: 'What was missing has been recovered',
  'some-missing': 'Something is missing, and stays so',
  'no-gap': 'It was no gap',
} as const satisfies Record<GapOutcome, string>

export const titleOfGap = ({ kind, endpoint }: Pick<GapView, 'kind' | 'endpoint'>): string =>
  gapKindWords[kind].title(endpoint ? `“${endpoint.name}”` : 'an endpoint')

/** Closed, over, or lasting, in a word. */
export function stateOfGap({ closed, endedAt }: Pick<GapView, 'closed' | 'endedAt'>): {
  readonly label: string
  readonly tone: Tone
} {
  if (closed) return { label: endedAt ? 'Closed' : 'Closed, ongoing', tone: 'done' }
  return endedAt ? { label: 'Over', tone: 'held' } : { label: 'Ongoing', tone: 'fail' }
}
