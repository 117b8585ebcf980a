import { expect, it } from 'vitest'
import type { SignInHelp } from '#lib/people/get-person.ts'
import { personAlerts } from './person-alerts.tsx'

const at = '2026-02-01T00:33:58.000Z'
const later = '2026-02-01T09:00:00.000Z'
const bounce = { at, lasts: true, failureType: null, diagnosticCode: null }
const help: SignInHelp = {
  codes: [],
  waits: { knownBrowsers: null, strangers: null, strangersTyping: null },
  codeSentAt: null,
  strangersStoppedAt: null,
  signUpWallet: null,
  bounce,
  sessions: [],
}
const keysOf = (signIn: SignInHelp | null, unavailable = false) =>
  personAlerts({
    profile: unavailable
      ? { kind: 'unavailable', title: 'The provider does not answer.', next: 'Try again.' }
      : { kind: 'unknown' },
    person: null,
    signIn,
  }).map(({ kind, key }) => `${kind} ${key}`)

it('says first which data of a person could not be read, and what keeps them from signing in', () => {
  const stopped = { ...help, strangersStoppedAt: at, waits: { ...help.waits, strangersTyping: later } }
  expect(keysOf(stopped, true)).toEqual(['error profile', 'warning bounce', 'warning strangers'])
  expect(keysOf({ ...help, bounce: null })).toEqual([])
  expect(keysOf({ ...help, bounce: null, strangersStoppedAt: at })).toEqual([])
  expect(keysOf(null)).toEqual([])
})

it('does not mention a bounce that is over', () => {
  expect(keysOf({ ...help, bounce: { ...bounce, lasts: false } })).toEqual([])
})
