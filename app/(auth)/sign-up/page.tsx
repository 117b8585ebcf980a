import type { Metadata } from 'next'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { parseWalletsSeen, walletsCookie } from '#components/sign-in/wallets-cookie.ts'
import { SignUpThenSignIn } from '#components/sign-up/sign-up-then-sign-in.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { readChoice } from '#lib/auth/read-choice.ts'
import { findSession } from '#lib/auth/require-session.ts'
import { readSettings } from '#lib/settings/read-settings.ts'
import { signInPage } from '#lib/sign-in/sign-in-page.ts'
import { readCountryChoices } from '../../read-country-choices.ts'
import {
  codeDeliveryStatusAction,
  createThrowAwayAccountAction,
  issueChallengeAction,
  issueSignUpChallengeAction,
  requestCodeAction,
  signUpAction,
} from '../actions.ts'

export const metadata: Metadata = { title: { absolute: 'Create an account' } }

export default async function SignUpPage() {
  if (await findSession()) redirect('/')
  const { serviceHost, canSignUp, sandboxUrl, walletConnectProjectId } = await signInPage()
  const { merchantName: name } = await readSettings()
  if (!canSignUp) {
    return (
      <>
        <h1 className="sr-only">Create an account</h1>
        <Callout title="Accounts are not opened here." className="mx-auto max-w-md">
          {name} opens them for its customers.{' '}
          <Link href="/sign-in" className="underline">
            Sign in
          </Link>{' '}
          if you have one, or ask {name}’s support.
        </Callout>
      </>
    )
  }
  return (
    <SignUpThenSignIn
      signUp={signUpAction}
      countries={await readCountryChoices()}
      signIn={{
        actions: {
          issueChallenge: issueChallengeAction,
          issueSignUpChallenge: issueSignUpChallengeAction,
          requestCode: requestCodeAction,
          codeDeliveryStatus: codeDeliveryStatusAction,
          createThrowAwayAccount: sandboxUrl ? createThrowAwayAccountAction : null,
        },
        merchant: name,
        walletConnectProjectId,
        serviceHost,
        sandboxUrl,
        next: null,
        walletsSeen: parseWalletsSeen(await readChoice(walletsCookie)),
      }}
    />
  )
}
