'use server'
import { action } from '#lib/identity/actions/action.ts'
import { CodeDeliveryStatusSchema, codeDeliveryStatus } from '#lib/identity/sign-in/code-delivery-status.ts'
import { WalletAccountSchema } from '#lib/identity/sign-in/create-challenge.ts'
import {
  createThrowAwayAccount,
  ThrowAwayAccountSchema,
} from '#lib/identity/sign-in/create-throw-away-account.ts'
import { issueChallenge } from '#lib/identity/sign-in/issue-challenge.ts'
import { issueSignUpChallenge } from '#lib/identity/sign-in/issue-sign-up-challenge.ts'
import { RequestCodeSchema, requestCode } from '#lib/identity/sign-in/request-code.ts'
import { SignUpSchema, signUp } from '#lib/identity/sign-in/sign-up.ts'

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

/** Only with the sandbox. */
export const createThrowAwayAccountAction = action(
  ThrowAwayAccountSchema,
  'anyone',
  (_caller, form, context) => createThrowAwayAccount(form, context),
)

export const signUpAction = action(SignUpSchema, 'anyone', (_caller, form, context) => signUp(form, context))
