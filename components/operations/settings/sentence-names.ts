import { type Direction, isDirection } from '#lib/deliveries/rules/steps.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import { eventTypeLabel } from '#lib/timeline/labels/event-type-labels.ts'
import { stepLabel } from '#lib/transactions/labels/step-labels.ts'

/** The name says where customers read a sentence, in the words of staff. */
export interface SentenceName {
  readonly group: string
  readonly state: string
  readonly part: string
}

/** The name belongs to a key of the catalogue: `steps.fiatToCrypto.PENDING.label`. */
export function sentenceName(key: string): SentenceName {
  const [area, first = '', second = '', third = ''] = key.split('.')
  if (area === 'accountStates')
    return {
      group: 'Bank details for deposits',
      state: accountNames.get(first) ?? first,
      part: partName(second),
    }
  if (area === 'told')
    return {
      group: `Told by the team: ${eventTypeLabel(first).label}`,
      state: eventLabel({ type: first, subType: second, status: second }).label,
      part: partName('meaning'),
    }
  if (area === 'reply')
    return {
      group: 'Copy reply',
      state: replyNames.get(first) ?? first,
      part: partName('meaning'),
    }
  if (isDirection(first))
    return {
      group: eventTypeLabel(first).label,
      state: stepName(first, second, third),
      part: partName(third),
    }
  const [state, part] = special.get(key) ?? [first, partName(second)]
  return { group: 'Both directions', state, part }
}

/** All holds but those for verification have one sentence; all holds have one label and one heading. */
const stepName = (direction: Direction, step: string, part: string) =>
  step === 'ON_HOLD' && part === 'meaning'
    ? 'On hold, other than for verification'
    : stepLabel(direction, step).label

const partName = (part: string) => partNames.get(part) ?? part

const partNames = new Map([
  ['label', 'Label'],
  ['meaning', 'Message'],
  ['headline', 'Heading'],
])

const replyNames = new Map([
  ['about', 'What it is about'],
  ['nothingToDo', 'Nothing to do'],
  ['verify', 'On hold for verification, without a link'],
  ['verifyAt', 'On hold for verification, with the link'],
  ['late', 'Late'],
  ['weAsk', 'Failed, or below the minimum'],
])

const accountNames = new Map([
  ['ACTIVE', 'Active'],
  ['WAITING_CREATION', 'Waiting for creation'],
  ['FAILED_CREATION', 'Creation failed'],
  ['DISABLED', 'Disabled'],
  ['unnamed', 'Any other status'],
])

const special = new Map<string, readonly [state: string, part: string]>([
  ['steps.refundedInPart.fiatToCrypto', ['Refunded in part, of fiat', 'Message']],
  ['steps.refundedInPart.cryptoToFiat', ['Refunded in part, of stablecoin', 'Message']],
  ['steps.verificationHold', ['On hold for verification', 'Message']],
  ['steps.became', ['Success, with both amounts', 'Heading']],
  ['steps.becameIn', ['Success, with amounts and duration', 'Heading']],
  ['steps.late.meaning', ['Late, beside its status', 'Message']],
  ['steps.late.headline', ['Late, at any status', 'Heading']],
  ['steps.unsettled.label', ['Outcomes that contradict each other', 'Label']],
  ['steps.unsettled.meaning', ['Outcomes that contradict each other', 'Message']],
  ['steps.unsettled.headline', ['Outcomes that contradict each other', 'Heading']],
  ['steps.unnamed.label', ['Any other status', 'Label']],
  ['steps.unnamed.meaning', ['Any other status', 'Message']],
  ['steps.unnamed.headline', ['Any other status', 'Heading']],
])
