import { type EventKind, stateOf } from '#lib/domain/delivery/event-states.ts'
import { isEventType } from '#lib/domain/delivery/event-types.ts'
import { type Direction, isDirection } from '#lib/domain/delivery/steps.ts'
import { type ReasonWords, reasonWords } from './event-transaction-words.ts'
import { eventTypeLabel } from './event-type-labels.ts'
import { findWords, wordsOfType } from './event-words.ts'
import type { Tone } from './tone.ts'

export type { EventKind } from '#lib/domain/delivery/event-states.ts'
export type { Tone } from './tone.ts'

export interface StatusLabel {
  readonly label: string
  /** In the words of §6; null for a step that we do not know. */
  readonly meaning: string | null
  readonly tone: Tone
}

/** A state as staff read it. */
export interface StaffLabel extends StatusLabel {
  /** Who must act, and how; null where that is not known. */
  readonly next: string | null
}

/** What an event says, as far as the reader's role gets it. */
export interface ShownKind extends EventKind {
  /** Other roles get more of it. */
  readonly restricted?: boolean
}

/** The words of a transaction's step; one we do not know is shown as it is. §6.1, §6.2 */
export function stepLabel(direction: Direction | null, step: string | null): StaffLabel {
  const known = direction
    ? findWords(direction, step)
    : (findWords('fiatToCrypto', step) ?? findWords('cryptoToFiat', step))
  return known ?? { label: step ?? 'No step', meaning: null, tone: 'wait', next: null }
}

/**
 * The words of any event: its step, its status, or what else it says it is. A type or a state that we do not know is shown as it
 * came. What a role does not get leaves the type.
 */
export function eventLabel(event: ShownKind): StaffLabel {
  const { type } = event
  const state = visible(stateOf(event))
  const words = findWords(type, state)
  const reason = reasons.get(event.status ?? '')
  if (isDirection(type))
    return state === 'ON_HOLD' && words && reason ? { ...words, ...wordsOf(reason) } : stepLabel(type, state)
  const said = words ?? wordsOfType(type)
  if (said) return said
  const label = state ?? eventTypeLabel(type).label
  const known = type !== null && isEventType(type)
  if (known && state === null && event.restricted) return forOthers
  const next = known && state !== null ? ask(state) : null
  return { label, meaning: null, tone: 'wait', next }
}

const wordsOf = ({ meaning, next }: ReasonWords) => ({ meaning, next })

const forOthers = {
  label: 'For compliance',
  meaning: 'What it says is for other roles.',
  tone: 'wait',
  next: 'Ask compliance. The customer must not be told of it.',
} as const

const ask = (state: string) => `Ask the provider what “${state}” means.`

/** What the label does not say already: the word that came, where it is another. */
export function rawState(event: ShownKind): string | null {
  const raw = visible(event.status) ?? (isDirection(event.type) ? null : visible(event.subType))
  return raw === eventLabel(event).label ? null : raw
}

/** Dots stand for what a role may ask for. */
const visible = (text: string | null) => (text === '•••' ? null : text)

/** The finer reason beside a step: `KYC` for `ON_HOLD_KYC`; null when it only repeats the step. */
export function reasonLabel(step: string | null, reason: string | null): string | null {
  if (reason === null || reason === step) return null
  const known = reasons.get(reason)
  if (known) return known.label
  if (step !== null && reason.startsWith(`${step}_`)) return reason.slice(step.length + 1)
  return reason
}

const reasons: ReadonlyMap<string, ReasonWords> = new Map(Object.entries(reasonWords))

/** `Polygon` for `polygon`; a name with capitals of its own stays as it is. */
export const chainLabel = (chain: string): string =>
  /^[a-z][a-z ]*$/.test(chain) ? chain.charAt(0).toUpperCase() + chain.slice(1) : chain
