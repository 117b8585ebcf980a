import 'server-only'
import { env } from '#lib/platform/env.ts'
import type { SignInMethod } from '../rules/sign-in-method.ts'

/**
 * Whether somebody who signed in like this has the role of a member. A wallet or an e-mail code proves a user of the
 * service, by what the service asks for; staff need a passkey or single sign-on, unless `STAFF_SIGN_IN` says otherwise.
 */
export const isEnoughForStaff = (method: SignInMethod): boolean =>
  env().staffSignIn === 'any' || (method !== 'wallet' && method !== 'code')
