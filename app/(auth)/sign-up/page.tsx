import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { parseWalletsSeen, walletsCookie } from '#components/identity/sign-in/wallets-cookie.ts'
import { SignUpThenSignIn } from '#components/identity/sign-up/sign-up.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Link } from '#components/ui/link.tsx'
import { findSession, readChoice } from '#lib/identity/sessions/read-request.ts'
import { signInPage } from '#lib/identity/sign-in/sign-in-page.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { readCountryChoices, readWords, titleOf } from '../../read-words.ts'
import {
  codeDeliveryStatusAction,
  createThrowAwayAccountAction,
  issueChallengeAction,
  issueSignUpChallengeAction,
  requestCodeAction,
  signUpAction,
} from '../actions.ts'

export async function generateMetadata(): Promise<Metadata> {
  const words = await readWords()
  return { title: { absolute: titleOf(words('signUp.metaTitle')) } }
}

export default async function SignUpPage() {
  if (await findSession()) redirect('/')
  const { serviceHost, canSignUp, sandboxUrl, walletConnectProjectId } = await signInPage()
  const { merchantName: name } = await readSettings()
  const words = await readWords()
  if (!canSignUp) {
    return (
      <>
        <h1 className="sr-only">{words('signUp.title')}</h1>
        <Callout title={words('signUp.notHere')} className="mx-auto max-w-md">
          {words.rich('signUp.notHereNext', {
            merchant: name,
            link: (label) => (
              <Link key="sign-in" href="/sign-in" className="underline">
                {label}
              </Link>
            ),
          })}
        </Callout>
      </>
    )
  }
  return (
    <SignUpThenSignIn
      signUp={signUpAction}
      countries={await readCountryChoices(words.language)}
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
