import type { CodeDeliveryProblem } from '#lib/identity/rules/sign-in.ts'
import type { RequestedCode } from '#lib/identity/sign-in/request-code.ts'
import type { IssuedChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** What signing in asks of the server. */
export interface SignInActions {
  readonly issueChallenge: Action<IssuedChallenge>
  /** A message by which a wallet shows, for a new account, whose it is. */
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly requestCode: Action<RequestedCode>
  readonly codeDeliveryStatus: Action<CodeDeliveryProblem | null>
  /** Null where there is no sandbox. */
  readonly createThrowAwayAccount: Action<{ readonly address: string; readonly name: string }> | null
}
