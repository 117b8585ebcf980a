import type { NewEventReason, SameReason } from '#lib/domain/timeline/decide-repeat.ts'
import type { EventFlag } from '#lib/domain/timeline/subject-event.ts'
import { formatDuration } from './duration.ts'

/** Why a delivery stands under its event, in words for people. */
export function deliveryReasonMessage(reason: SameReason): string {
  switch (reason.kind) {
    case 'first':
      return 'Received for the first time'
    case 'happened-again':
      return newEventMessages[reason.because](formatDuration(reason.secondsAfter))
    case 'other-endpoint':
      return `The same event through another endpoint, ${later(reason.secondsAfter)}`
    case 'unsure-answer':
      return `Received again ${later(reason.secondsAfter)}: a retry, our answer was not surely received`
    case 'retry':
      return `Received again ${later(reason.secondsAfter)}: ${retryMessage(reason.from, reason.retries)}`
    case 'repeated':
      return `Received again ${later(reason.secondsAfter)}, with nothing else in between`
  }
}

/** What each flag of an event means. */
export const flagLabels = {
  late: {
    label: 'Late',
    meaning:
      'Received after a later step, and placed where it belongs. Its time of receipt gives no duration.',
  },
  conflict: {
    label: 'Conflict',
    meaning: 'Two events contradict each other. The one received last is taken; ask the provider.',
  },
  'order-unsure': {
    label: 'Order unsure',
    meaning: 'It may have happened before the event received ahead of it: a retry could explain that.',
  },
  'repeat-unsure': {
    label: 'Retry or again?',
    meaning:
      'The same was received before, with this in between or followed by it. The sender does not say whether it sent it once more or whether it happened again: ask the provider when it matters.',
  },
} as const satisfies Record<EventFlag, { label: string; meaning: string }>

const newEventMessages = {
  'after-retry-window': (ago) =>
    `Happened again: the same was last received ${ago} earlier, too long ago for a retry`,
  'other-event-between': (ago) =>
    `Happened again: the same was received ${ago} earlier, and something else happened in between`,
  'repeated-by-two-endpoints': (ago) =>
    `Happened again: the same was received ${ago} earlier, something else happened in between, and two endpoints repeat it at once`,
  'endpoint-created-later': (ago) =>
    `Happened again: the same was received ${ago} earlier, before this endpoint got anything, so it cannot be repeating it`,
} as const satisfies Record<NewEventReason, (ago: string) => string>

const later = (seconds: number) => `${formatDuration(seconds)} later`

function retryMessage(from: number, retries: number): string {
  if (retries === 1)
    return from === 1 ? 'probably a retry, our first answer lost' : `probably retry ${from}, our answer lost`
  const unseen = retries - 1
  return `probably retry ${from + retries - 1}, our answer lost and ${unseen === 1 ? 'an attempt' : `${unseen} attempts`} in between not arrived`
}
