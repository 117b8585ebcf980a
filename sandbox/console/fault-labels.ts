import type { ActiveFault, FaultKind } from '../state/faults.ts'
import { shortText } from './pieces.ts'

export const faultTitles = {
  fail: 'Failing calls',
  slow: 'Slow answers',
  drop_answer: 'Dropped answers',
  invalid_json: 'Broken JSON',
  duplicate: 'Duplicates',
  reorder: 'Wrong order',
  deliver_before_answer: 'Delivery before the answer',
} satisfies Record<FaultKind, string>

export const faultEffects = {
  fail: 'A call is answered with this status and nothing else happens.',
  slow: 'A call takes effect at once, its answer comes later. In real time, whatever the clock says.',
  drop_answer: 'A call takes effect, then its connection ends without an answer.',
  invalid_json: 'A call takes effect, but the body of its answer ends in the middle.',
  duplicate:
    'A delivery that was answered is sent again, the very same request. How a copy is answered does not count.',
  reorder:
    'A delivery waits until the next one to its endpoint has overtaken it, for up to 2 s of real time.',
  deliver_before_answer:
    'A new endpoint receives an event before the call that created it is answered, so its secret is not known yet.',
} satisfies Record<FaultKind, string>

/** The text describes the settings of an active fault. */
export function describeFault(fault: ActiveFault): string {
  const words = [settingsOf(fault), placeOf(fault)]
  if (fault.left !== null) words.push(fault.left === 1 ? 'once more' : `${fault.left} more times`)
  else words.push('until switched off')
  return words.filter(Boolean).join(' · ')
}

function settingsOf(fault: ActiveFault) {
  if (fault.kind === 'fail') return `status ${fault.status}`
  if (fault.kind === 'slow') return `${fault.milliseconds.toLocaleString('en')} ms`
  if (fault.kind === 'duplicate') return fault.times === 1 ? '1 extra copy' : `${fault.times} extra copies`
  return ''
}

function placeOf(fault: ActiveFault) {
  if (fault.kind === 'deliver_before_answer') return 'new endpoints'
  if (fault.kind === 'duplicate' || fault.kind === 'reorder') {
    return fault.endpoint ? `endpoint ${shortText(fault.endpoint)}` : 'every endpoint'
  }
  if (!fault.method && !fault.path) return 'every call'
  return `${fault.method ?? 'any method'} ${fault.path ? `${fault.path}…` : 'on any path'}`
}
