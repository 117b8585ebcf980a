'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import { whyUnanswered } from '#components/ui/form/call-action.ts'
import {
  type CodeDeliveryProblem,
  readSignInAnswer,
  type SignInRefusal,
} from '#lib/identity/rules/sign-in.ts'
import type { RequestedCode } from '#lib/identity/sign-in/request-code.ts'
import type { IssuedChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { Action, Unanswered } from '#lib/platform/forms/action-state.ts'
import type { CustomerRefusal } from '#lib/words/messages/sign-in-refusals.ts'

/** A person who is not signed in gets the reason of the refusal, or why nothing answered. */
export type SignInResult = 'signed-in' | SignInRefusal | { readonly why: Unanswered }

/**
 * The credentials go to next-auth, as with its own `signIn`, without leaving the page when there is no connection.
 * `wallet` has `message` and `signature`, `code` has `email` and `code`, `passkey` has `answer`.
 */
export async function submitCredentials(
  provider: 'wallet' | 'code' | 'passkey',
  credentials: Record<string, string>,
): Promise<SignInResult> {
  try {
    const csrfToken = textField(await ask('/api/auth/csrf'), 'csrfToken')
    const body = new URLSearchParams({ ...credentials, csrfToken, callbackUrl: '/', json: 'true' })
    const url = textField(await ask(`/api/auth/callback/${provider}`, { method: 'POST', body }), 'url')
    return readSignInAnswer(new URL(url, location.origin)) ?? 'signed-in'
  } catch (error) {
    return { why: whyUnanswered(error) }
  }
}

async function ask(path: string, init?: RequestInit): Promise<unknown> {
  // A refusal is a 401 with its reason. An answer that is not JSON throws here.
  return (await fetch(path, init)).json()
}

function textField(answer: unknown, name: string): string {
  const value = typeof answer === 'object' && answer !== null ? Reflect.get(answer, name) : undefined
  if (typeof value !== 'string') throw new Error(`next-auth gave no ${name}`)
  return value
}

/**
 * The message says in the reader's language why they were not signed in by wallet or code. Refusals that only staff
 * get become `went-wrong`.
 */
export function useRefusalWords(): (why: SignInRefusal) => Words {
  const words = useWords()
  return (why) => {
    const known: CustomerRefusal = isForCustomers(why) ? why : 'went-wrong'
    return { title: words(`signInRefusals.${known}.title`), next: words(`signInRefusals.${known}.next`) }
  }
}

interface Words {
  readonly title: string
  readonly next: string
}

const isForCustomers = (why: SignInRefusal): why is CustomerRefusal => !/^(passkey|sso)-/.test(why)

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
