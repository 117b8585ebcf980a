import type { NewEventReason, SameReason } from '#lib/timeline/rules/decide-repeat.ts'
import type { EventFilterFlag, EventFlag } from '#lib/timeline/rules/subject-event.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'

/** The message tells staff why a delivery belongs to its event. */
export function deliveryReasonMessage(reason: SameReason): string {
  if (reason.undecided) return undecidedMessage(reason)
  switch (reason.kind) {
    case 'first':
      return 'Received for the first time'
    case 'happened-again':
      return newEventMessages[reason.because](formatDuration(reason.secondsAfter))
    case 'other-endpoint':
      return `Also received via another endpoint, ${later(reason.secondsAfter)}`
    case 'unsure-answer':
      return `Received again ${later(reason.secondsAfter)}: a retry, our answer may have been lost`
    case 'retry':
      return `Received again ${later(reason.secondsAfter)}: ${retryMessage(reason.from, reason.retries)}`
    case 'repeated':
      return `Received again ${later(reason.secondsAfter)}, with no other event in between`
  }
}

/** The text follows the time at which an event came again. */
export const retryOrAgain = 'retry or repeat'

type SaidFlag = Exclude<EventFlag, 'decisive'>

/** Each flag of an event has a meaning when the subject's state depends on it, and one when it does not. */
const flagLabels = {
  late: {
    label: 'Late',
    decisive: 'It may be the current status, if it happened when it was received.',
    harmless: 'Arrived late; shown in its proper place, so no duration.',
  },
  conflict: {
    label: 'Conflict',
    decisive: 'Another event contradicts it. The one received last counts.',
    harmless: 'Another event contradicts it. The one received last counts.',
  },
  'order-unsure': {
    label: 'Order unconfirmed',
    decisive: 'It and the event before it may be in the wrong order. Ask the provider if it matters.',
    harmless: 'It and the event before it may be in the wrong order. This doesn’t affect the current status.',
  },
  'repeat-unsure': {
    label: 'Possibly finished',
    decisive: 'This may be over: the event before it was received again.',
    harmless: 'The event before it was received again. This doesn’t affect the current status.',
  },
  'amount-not-readable': {
    label: 'Amount not readable',
    decisive: 'An amount is not a valid number. The body shows it as received.',
    harmless: 'An amount is not a valid number. The body shows it as received.',
  },
} as const satisfies Record<SaidFlag, Record<'label' | 'decisive' | 'harmless', string>>

/** The filter of the timeline uses these labels. */
export const eventFilterLabels = {
  'came-again': 'Received again',
  conflict: flagLabels.conflict.label,
  'order-unsure': flagLabels['order-unsure'].label,
  'repeat-unsure': flagLabels['repeat-unsure'].label,
  late: flagLabels.late.label,
} as const satisfies Record<EventFilterFlag, string>

/** A doubt is a flag in words. `matters` says that the subject's status depends on it, so lists show it too. */
export interface Doubt {
  readonly flag: SaidFlag
  readonly label: string
  readonly meaning: string
  readonly matters: boolean
}

/** `doubtsOf` words the flags of an event. An event that came again shows that it is unsure, so those flags are left out. */
export function doubtsOf({
  flags,
  cameAgainAt,
}: {
  readonly flags: readonly EventFlag[]
  readonly cameAgainAt: string | null
}): Doubt[] {
  const decisive = flags.includes('decisive')
  return flags.flatMap((flag) => {
    if (flag === 'decisive' || (cameAgainAt !== null && coveredByCameAgain.includes(flag))) return []
    const matters = decisive || flag === 'conflict' || flag === 'amount-not-readable'
    const { label, ...meanings } = flagLabels[flag]
    return { flag, label, meaning: matters ? meanings.decisive : meanings.harmless, matters }
  })
}

const coveredByCameAgain: readonly EventFlag[] = ['order-unsure', 'repeat-unsure']

/** The sender does not say whether it sent the same event again or whether it happened again. */
function undecidedMessage(reason: SameReason): string {
  if (!('secondsAfter' in reason)) return deliveryReasonMessage({ kind: 'first' })
  const through = reason.kind === 'other-endpoint' ? 'via another endpoint ' : ''
  return `Received again ${through}${later(reason.secondsAfter)} (${retryOrAgain})`
}

const newEventMessages = {
  'after-retry-window': (ago) => `Happened again: last received ${ago} before, too long ago for a retry`,
  'other-event-between': (ago) => `Happened again: also received ${ago} before, with other events in between`,
  'repeated-by-two-endpoints': (ago) =>
    `Happened again: also received ${ago} before; two endpoints repeat it at once`,
  'endpoint-created-later': (ago) =>
    `Happened again: received ${ago} before, when this endpoint had no deliveries yet`,
} as const satisfies Record<NewEventReason, (ago: string) => string>

const later = (seconds: number) => `${formatDuration(seconds)} later`

function retryMessage(from: number, retries: number): string {
  if (retries === 1)
    return from === 1 ? 'probably a retry, our first answer lost' : `probably retry ${from}, our answer lost`
  const unseen = retries - 1
  return `probably retry ${from + retries - 1}, our answer lost and ${unseen === 1 ? 'an attempt' : `${unseen} attempts`} in between not arrived`
}
