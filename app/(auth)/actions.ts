'use server'

import { action } from '#lib/identity/actions/action.ts'
import {
  CodeDeliveryStatusSchema,
  codeDeliveryStatus,
  RequestCodeSchema,
  requestCode,
} from '#lib/identity/sign-in/request-code.ts'
import { issueChallenge, issueSignUpChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import {
  createThrowAwayAccount,
  SignUpSchema,
  signUp,
  ThrowAwayAccountSchema,
} from '#lib/identity/sign-in/sign-up.ts'
import { WalletAccountSchema } from '#lib/identity/sign-in/wallet-challenges.ts'

export const issueChallengeAction = action(WalletAccountSchema, 'anyone', (_caller, form, context) =>
  issueChallenge(form, context),
)

export const issueSignUpChallengeAction = action(WalletAccountSchema, 'anyone', (_caller, form, context) =>
  issueSignUpChallenge(form, context),
)

export const requestCodeAction = action(RequestCodeSchema, 'anyone', (_caller, form, context) =>
  requestCode(form, context),
)

export const codeDeliveryStatusAction = action(CodeDeliveryStatusSchema, 'anyone', (_caller, form, context) =>
  codeDeliveryStatus(form, context),
)

/** The action works only with the sandbox. */
export const createThrowAwayAccountAction = action(
  ThrowAwayAccountSchema,
  'anyone',
  (_caller, form, context) => createThrowAwayAccount(form, context),
)

export const signUpAction = action(SignUpSchema, 'anyone', (_caller, form, context) => signUp(form, context))
