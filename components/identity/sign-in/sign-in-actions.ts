import type { CodeDeliveryProblem } from '#lib/identity/rules/sign-in.ts'
import type { RequestedCode } from '#lib/identity/sign-in/request-code.ts'
import type { IssuedChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** Signing in uses these server actions. */
export interface SignInActions {
  readonly issueChallenge: Action<IssuedChallenge>
  /** The wallet signs this message to show that it belongs to the owner of a new account. */
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly requestCode: Action<RequestedCode>
  readonly codeDeliveryStatus: Action<CodeDeliveryProblem | null>
  /** The action is null when there is no sandbox. */
  readonly createThrowAwayAccount: Action<{ readonly address: string; readonly name: string }> | null
}
