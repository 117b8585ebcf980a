'use client'

import { useState } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import type { CountryChoices } from '#components/ui/form/country-field.tsx'
import type { SignedUp } from '#lib/identity/sign-in/sign-up.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { CodeSignIn } from '../sign-in/code-sign-in.tsx'
import { openAfterSignIn } from '../sign-in/open-after-sign-in.ts'
import type { SignInProps } from '../sign-in/sign-in-card.tsx'
import { useCodeRequest } from '../sign-in/use-code-request.ts'
import { WalletProvider } from '../sign-in/wallet-provider.tsx'
import { SignUpForm } from './sign-up-form.tsx'

/** Makes an account, then has the code typed that was sent to its address: only that opens it. */
export function SignUpThenSignIn({
  signUp,
  countries,
  signIn,
}: {
  readonly signUp: Action<SignedUp>
  readonly countries: CountryChoices
  readonly signIn: SignInProps
}) {
  const [account, setAccount] = useState<SignedUp | null>(null)
  const words = useWords()
  return (
    <WalletProvider>
      {account ? (
        <ConfirmEmail account={account} signIn={signIn} onRestart={() => setAccount(null)} />
      ) : (
        <div className="mx-auto w-full max-w-[34rem] rounded-2xl border bg-surface p-5 shadow-[0_10px_40px_rgb(0_0_0/0.06)] sm:p-7">
          <h1 className="font-heading text-lg tracking-[-0.012em]">{words('signUp.title')}</h1>
          <p className="mt-1 mb-5 text-muted text-table">
            {words('signUp.lead', { merchant: signIn.merchant })}
          </p>
          <SignUpForm
            signUp={signUp}
            issueSignUpChallenge={signIn.actions.issueSignUpChallenge}
            merchant={signIn.merchant}
            walletConnectProjectId={signIn.walletConnectProjectId}
            countries={countries}
            onSignedUp={setAccount}
          />
        </div>
      )}
    </WalletProvider>
  )
}

function ConfirmEmail({
  account,
  signIn,
  onRestart,
}: {
  readonly account: SignedUp
  readonly signIn: SignInProps
  readonly onRestart: () => void
}) {
  const { actions, merchant, serviceHost, sandboxUrl, next } = signIn
  const code = useCodeRequest(actions.requestCode, account.email)
  const words = useWords()
  return (
    <>
      <h1 className="mb-5 text-center font-heading text-xl tracking-[-0.017em]">
        {words('signUp.confirmEmail')}
      </h1>
      <div className="mx-auto w-full max-w-[28rem] rounded-2xl border bg-surface shadow-[0_10px_40px_rgb(0_0_0/0.06)]">
        <CodeSignIn
          code={{ ...code, restart: onRestart }}
          signedUpAs={account.email}
          codeDeliveryStatus={actions.codeDeliveryStatus}
          merchant={merchant}
          serviceHost={serviceHost}
          sandboxUrl={sandboxUrl}
          onSignedIn={() => openAfterSignIn(next)}
        >
          {account.wallet && <p>{words('signUp.walletAfterCode')}</p>}
        </CodeSignIn>
      </div>
    </>
  )
}
