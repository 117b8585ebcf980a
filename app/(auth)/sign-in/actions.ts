'use server'
import { action } from '#lib/auth/action.ts'
import { CodeTroubleForm, codeTrouble as findCodeTrouble } from '#lib/sign-in/code-trouble.ts'
import { IssueChallengeForm, issueChallenge as makeChallenge } from '#lib/sign-in/issue-challenge.ts'
import {
  openThrowAwayAccount as openAccount,
  ThrowAwayAccountForm,
} from '#lib/sign-in/open-throw-away-account.ts'
import { requestCode as askForCode, RequestCodeForm } from '#lib/sign-in/request-code.ts'

export const issueChallenge = action(IssueChallengeForm, 'anyone', (_caller, form, context) =>
  makeChallenge(form, context),
)

export const requestCode = action(RequestCodeForm, 'anyone', (_caller, form, context) =>
  askForCode(form, context),
)

export const codeTrouble = action(CodeTroubleForm, 'anyone', (_caller, form, context) =>
  findCodeTrouble(form, context),
)

/** Only with the sandbox. */
export const openThrowAwayAccount = action(ThrowAwayAccountForm, 'anyone', (_caller, form, context) =>
  openAccount(form, context),
)
