import 'server-only'
import type { Limit } from '#lib/platform/limits/limits.ts'
import { emailKey, exactEmail } from '../users/email-key.ts'
import type { Asker } from './asker.ts'
import type { Recipient } from './find-recipient.ts'
import { signUpKey } from './sign-up-browser.ts'

/** A limit, and what is counted there. */
export type Budget = readonly [Limit, string]

/** What a request for a code spends. What strangers may is counted by the address alone, in its spelling and in any case. */
export function codeBudgets(
  { userUuid, email }: Pick<Recipient, 'userUuid' | 'email'>,
  asker: Asker,
  browserId: string,
): readonly Budget[] {
  if (asker === 'known') return [['code-known-browsers', userUuid]]
  if (asker === 'stranger') return strangersCodes(email)
  const key = signUpKey(email, browserId)
  return [
    ['code-sign-up-browser', key],
    ['code-sign-up-browser-daily', key],
  ]
}

export const strangersCodes = (email: string): readonly Budget[] => [
  ['code-strangers', exactEmail(email)],
  ['code-strangers-any-case', emailKey(email)],
  ['code-strangers-daily', exactEmail(email)],
  ['code-strangers-any-case-daily', emailKey(email)],
]

/** What a stranger's guess spends. */
export const strangersGuesses = (email: string): readonly Budget[] => [
  ['guess-strangers-daily', exactEmail(email)],
  ['guess-strangers-any-case-daily', emailKey(email)],
]

/** By which the pause between two codes is counted: one browser never makes another one wait. */
export const pauseKey = (email: string, browserId: string) => `${exactEmail(email)} ${browserId}`
