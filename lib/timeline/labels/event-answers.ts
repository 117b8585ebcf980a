import { type StateOf, stateOf } from '#lib/deliveries/rules/event-states.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { type Direction, isDirection } from '#lib/deliveries/rules/steps.ts'
import { isRefundDoubted, mayHideRefund, type Refund } from '#lib/transactions/rules/refund.ts'
import { type CustomerWords, customerAccount, customerStep } from '#lib/words/labels/customer-labels.ts'
import { customerToDo } from '#lib/words/labels/customer-reply.ts'
import type { KeysOf } from '#lib/words/labels/translate.ts'
import type { en } from '#lib/words/messages/en.ts'
import { englishSentences } from '#lib/words/messages/sentences.ts'
import { askAboutRefund, asksNobody, eventLabel, isContradicted, type ShownKind } from './event-labels.ts'
import { refundAmount, refundReportedWords } from './headline.ts'

/** Staff can give a customer this answer about a status. */
export interface CustomerAnswer {
  /** `say` is in the customer's language; null when there is nothing to say. */
  readonly say: string | null
  /** `back` says if the money comes back, and where to; null when no money is involved. */
  readonly back: string | null
  /** `act` says who must act. */
  readonly act: string
  /** `caution` names what the customer must not hear. */
  readonly caution: string | null
}

/**
 * The answer says what staff can tell the customer, in the given words, also the merchant's own. A check that
 * customers must not know of gets the answer of its transaction, or without a known one the sentence that every hold has:
 * neither hints at anything.
 */
export function customerAnswer(event: ShownKind, words: CustomerWords): CustomerAnswer {
  const { type } = event
  const act = eventLabel(event).next ?? 'Ask the provider.'
  if (isDirection(type)) return ofTransaction(type, event, words, act)
  if (isSecret(type) && event.transaction && isDirection(event.transaction.type)) {
    const answer = customerAnswer(event.transaction, words)
    return { ...answer, act: asksNobody(answer.act) ? act : answer.act, caution }
  }
  if (isSecret(type)) {
    const say = customerStep(words, 'fiatToCrypto', 'ON_HOLD').meaning
    return { say, back: type === 'senderNameMismatch' ? undecided : null, act: wait, caution }
  }
  return { say: sentenceOf(event, words), back: null, act, caution: null }
}

function ofTransaction(type: Direction, event: ShownKind, words: CustomerWords, act: string): CustomerAnswer {
  const { subType, status, flags = [], stuck = false } = event
  const { refund = null } = event
  const isDoubted = isRefundDoubted(subType, refund, flags)
  const isHiding = mayHideRefund(refund, flags)
  const conflict = isContradicted(event) || isDoubted
  const { meaning } = customerStep(words, type, subType, status, { conflict, stuck, refund })
  const toDo = customerToDo(words, {
    step: subType,
    reason: status,
    turn: event.turn ?? null,
    stuck,
    conflict,
    isRefundReported: refund?.kind === 'reported' && refund.doubt === null,
  })
  const say = toDo === null ? meaning : `${meaning} ${toDo}`
  if (isDoubted && !isContradicted(event))
    return { say, back: doubted, act: askAboutRefund, caution: cautionOfConflict }
  if (conflict) return { say, back: contradicted, act, caution: cautionOfConflict }
  const back =
    (refund && backOfRefund(refund)) ??
    (isHiding ? hiding : backOf.get(subType ?? '')) ??
    'Not reported: ask the provider.'
  if (subType === 'ON_HOLD' && status !== 'ON_HOLD_KYC')
    return { say, back, act: wait, caution: cautionOfHold }
  // A hold for verification and a late step each say already who must act.
  const isOpen = (refund?.kind === 'reported' || isHiding) && subType !== 'ON_HOLD' && !stuck
  return { say, back, act: isOpen ? askAboutRefund : act, caution: null }
}

const wait = 'The customer need not do anything. If it lasts, ask the provider.'
const caution = 'Don’t mention the check or its result to the customer.'
const cautionOfConflict = 'Say only this until the provider has answered.'
const cautionOfHold = 'Say only this, whatever the reason.'

/** Customers must not even know that an event of these types happened. */
const secret: ReadonlySet<string> = new Set<EventType>([
  'AML',
  'duplicateUser',
  'senderNameMismatch',
  'entityStatusUpdate',
])
const isSecret = (type: string | null) => type !== null && secret.has(type)

const undecided = 'Not reported yet. A refund arrives as a separate event.'
const contradicted = 'Unknown: the events contradict each other.'
const doubted =
  'Unconfirmed: it is marked refunded, but the amount is 0 or less, more than received, or not readable.'
const hiding = 'A refund may be reported, but an amount is not readable. See its events.'
const whereTo = 'The destination isn’t reported; ask the provider.'

/** The contract does not say that any step is the last, so only a reported refund is certain. §3.2 */
const backOf: ReadonlyMap<string, string> = new Map([
  ['PENDING', 'No refund is reported: nothing is acknowledged as received yet.'],
  ['IN_PROGRESS', 'No refund is reported: it is being processed.'],
  ['CRYPTO_TRANSFER_ISSUED', 'No refund is reported: the stablecoin was sent to the network.'],
  ['FIAT_TRANSFER_ISSUED', 'No refund is reported: the fiat transfer was initiated.'],
  ['SUCCESS', 'No refund is reported: it is finished.'],
  ['ON_HOLD', undecided],
  ['FAILED', `${undecided} ${whereTo}`],
  ['LIMIT_BREACHED', `${undecided} ${whereTo}`],
  ['REFUNDED', `Yes: it was refunded. ${whereTo}`],
])

/** The amount may add to the step; null when the step says everything. */
function backOfRefund(refund: Refund): string | null {
  if (refund.kind === 'part') return `Yes, in part: ${refundAmount(refund)} was refunded. ${whereTo}`
  if (refund.kind !== 'reported') return null
  return `${capital(refundReportedWords(refund))}, but not confirmed. Ask the provider.`
}

const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)

function sentenceOf(event: ShownKind, words: CustomerWords): string | null {
  if (event.type === 'unblockBankAccount') return customerAccount(words, event.status).meaning
  const key = `told.${event.type}.${stateOf(event)}`
  return isTold(key) ? words(key) : null
}

/** A state without a sentence does not compile. */
const told = englishSentences.told satisfies {
  readonly [Type in keyof typeof englishSentences.told]: Record<StateOf<Type>, string>
}

type ToldKey = Extract<KeysOf<typeof en>, `told.${string}`>

const toldKeys: ReadonlySet<string> = new Set(
  Object.entries(told).flatMap(([type, states]) =>
    Object.keys(states).map((state) => `told.${type}.${state}`),
  ),
)

const isTold = (key: string): key is ToldKey => toldKeys.has(key)
