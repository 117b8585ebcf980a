import crypto from 'node:crypto'
import { createAccount } from '#lib/identity/sign-in/sign-up.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUserByEmail } from '../lib/identity/users/directory.ts'
import { newBrowser } from './callers.ts'

/** Nobody has this e-mail address. */
export const newEmail = () => `u${crypto.randomUUID()}@demo.test`

/** A sign-up sends these fields of a person. */
export const anaDemo = { firstName: 'Ana', lastName: 'Demo', country: 'ES' }

/** The user signed up in this browser, without a wallet. */
export async function newAccount(email = newEmail()) {
  const browser = newBrowser()
  await createAccount({ email, ...anaDemo }, browser)
  const user = await findUserByEmail(cleanText(email))
  if (!user) throw new Error(`Nobody has ${email}`)
  return { email, userUuid: user.userUuid, browser }
}
