'use client'

import { useState } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import type { SignedUp } from '#lib/sign-in/sign-up.ts'
import { SignInMethods, type SignInProps } from '../sign-in/sign-in-card.tsx'
import { WalletProvider } from '../sign-in/wallet-provider.tsx'
import { type CountryChoices, SignUpForm } from './sign-up-form.tsx'

/** Makes an account, then goes straight on to signing in to it: a code is already on its way. */
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
  return (
    <WalletProvider>
      {account ? (
        <>
          <h1 className="mb-5 text-center font-heading text-xl tracking-[-0.017em]">Almost there: sign in</h1>
          <SignInMethods {...signIn} sendCodeTo={account.email} />
        </>
      ) : (
        <div className="mx-auto w-full max-w-[34rem] rounded-2xl border bg-surface p-5 shadow-[0_10px_40px_rgb(0_0_0/0.06)] sm:p-7">
          <h1 className="font-heading text-lg tracking-[-0.012em]">Create an account</h1>
          <p className="mt-1 mb-5 text-muted text-table">
            It is kept by the payment service that {signIn.merchant} works with.
          </p>
          <SignUpForm signUp={signUp} countries={countries} onSignedUp={setAccount} />
        </div>
      )}
    </WalletProvider>
  )
}
