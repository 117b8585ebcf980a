import { isStep, type Step } from '#lib/deliveries/rules/steps.ts'
import type { HeadlineFacts } from '#lib/timeline/labels/headline.ts'
import { limitCurrency } from '#lib/transactions/rules/money.ts'
import {
  type CustomerWords,
  customerHeadline,
  customerRefund,
  customerStep,
  exchanged,
  isUnsettled,
  statedMoney,
  statedRefund,
} from './customer-labels.ts'
import { formatSpan } from './duration.ts'

/** A reply needs these facts beside the transaction. */
export interface ReplyFacts {
  /** The customer knows the transaction by this reference. */
  readonly reference: string
  /** Customers verify themselves at this address; null when it is not known. */
  readonly verificationUrl: string | null
  /** `readUsualDuration` says how long similar transactions took; null when too few are known. */
  readonly usual: {
    readonly usualSeconds: number
    readonly mostSeconds: number
    readonly count: number
  } | null
}

/**
 * `customerReply` writes an answer to a customer who asks about a transaction: what happened, what they must do, its
 * reference. It says no more than their own page, and the same for every hold except a hold for verification.
 */
export function customerReply(
  words: CustomerWords,
  transaction: HeadlineFacts,
  { reference, verificationUrl, usual }: ReplyFacts,
): string {
  const { direction, step, reason, turn = null, limit, stuck } = transaction
  const fact = (name: string, value: string) => words('amounts.fact', { name, value })
  const { given, got, whole } = exchanged(words, transaction)
  const back = customerRefund(words, transaction)
  const conflict = isUnsettled(transaction)
  const became = step === 'SUCCESS' && whole && direction !== null && !conflict
  const lines = [
    became
      ? customerHeadline(words, transaction)
      : direction !== null && words('reply.about', { given: given.plain, got: got.plain }),
    customerStep(words, direction, step, reason, { conflict, stuck, refund: back?.refund ?? null }).meaning,
    step === 'LIMIT_BREACHED' && limit !== null && !conflict
      ? fact(words('amounts.limit'), statedMoney(words, limit, limitCurrency(transaction)))
      : null,
    back && fact(back.name, statedRefund(words, back.refund)),
    customerToDo(
      words,
      { step, reason, turn, stuck, conflict, isRefundReported: back !== null },
      verificationUrl,
    ),
    usual && moves(step) && !stuck
      ? words('account.usually', {
          usual: formatSpan(usual.usualSeconds, words.language),
          most: formatSpan(usual.mostSeconds, words.language),
        })
      : null,
    fact(words('account.reference'), reference),
  ]
  return lines.filter(Boolean).join('\n')
}

/** `customerToDo` says what the customer must do; null when the sentence of the step says all that is known. */
export function customerToDo(
  words: CustomerWords,
  { step, reason, turn, stuck, conflict, isRefundReported }: ToDoFacts,
  link: string | null = null,
): string | null {
  if (!isStep(step) || conflict) return null
  if (step === 'ON_HOLD' && reason === 'ON_HOLD_KYC' && turn !== 'provider')
    return link === null ? words('reply.verify') : words('reply.verifyAt', { link })
  if (stuck) return words('reply.late')
  const act = acts[step]
  if (act === null) return null
  // A step that calls for nothing does not say what became of the money that a refund is reported of.
  return words(isRefundReported ? 'reply.weAsk' : `reply.${act}`)
}

interface ToDoFacts extends Pick<HeadlineFacts, 'step' | 'reason' | 'turn' | 'stuck'> {
  /** The customer reads no outcome, see `isUnsettled`. */
  readonly conflict: boolean
  /** The customer reads that a refund is reported. */
  readonly isRefundReported: boolean
}

const acts = {
  PENDING: 'nothingToDo',
  IN_PROGRESS: 'nothingToDo',
  CRYPTO_TRANSFER_ISSUED: 'nothingToDo',
  FIAT_TRANSFER_ISSUED: 'nothingToDo',
  SUCCESS: 'nothingToDo',
  ON_HOLD: null,
  FAILED: 'weAsk',
  LIMIT_BREACHED: 'weAsk',
  REFUNDED: null,
} as const satisfies Record<Step, 'nothingToDo' | 'weAsk' | null>

const moves = (step: string | null) => isStep(step) && acts[step] === 'nothingToDo' && step !== 'SUCCESS'
