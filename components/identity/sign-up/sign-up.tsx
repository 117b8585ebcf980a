'use client'

import { useState } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { type CountryChoices, CountryField } from '#components/ui/form/country-field.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { EmailField } from '#components/ui/form/email-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Link } from '#components/ui/link.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { SignedUp } from '#lib/identity/sign-in/sign-up.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { CodeSignIn } from '../sign-in/code-sign-in.tsx'
import { useCodeRequest } from '../sign-in/email-code.ts'
import { openAfterSignIn } from '../sign-in/go-on.tsx'
import type { SignInProps } from '../sign-in/sign-in-card.tsx'
import { WalletProvider } from '../sign-in/wallets.tsx'
import { WalletProofField } from './wallet-proof-field.tsx'

/**
 * The form makes an account and then asks for the code that was sent to its address. Only the code opens the
 * account.
 */
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
  const [restarts, setRestarts] = useState(0)
  const words = useWords()
  const restart = () => {
    setAccount(null)
    setRestarts(restarts + 1)
  }
  return (
    <WalletProvider>
      {account && <ConfirmEmail account={account} signIn={signIn} onRestart={restart} />}
      {/* The form keeps what was typed, for another address. */}
      <div
        hidden={account !== null}
        className="mx-auto w-full max-w-[34rem] rounded-2xl border bg-surface p-5 shadow-[0_10px_40px_rgb(0_0_0/0.06)] sm:p-7"
      >
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
          restarts={restarts}
          onSignedUp={setAccount}
        />
      </div>
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

function SignUpForm({
  signUp,
  issueSignUpChallenge,
  merchant,
  walletConnectProjectId,
  countries,
  restarts,
  onSignedUp,
}: {
  readonly signUp: Action<SignedUp>
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly merchant: string
  /** The id is null when WalletConnect is not set up. */
  readonly walletConnectProjectId: string | null
  readonly countries: CountryChoices
  /** After a restart, the person gives another address. */
  readonly restarts: number
  readonly onSignedUp: (account: SignedUp) => void
}) {
  const words = useWords()
  const { state, pending, errorOf, draft, form } = useFormAction(signUp, onSignedUp, { draft: 'sign-up' })
  return (
    <form {...form} className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <EmailField
        key={`email ${restarts}`}
        autoFocus={restarts > 0}
        hint={words('signUp.emailHint')}
        error={errorOf('email')}
      />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,12rem),1fr))] gap-5 sm:gap-4">
        <TextField
          label={words('signUp.firstName')}
          name="firstName"
          autoComplete="given-name"
          required
          error={errorOf('firstName')}
        />
        <TextField
          label={words('signUp.lastName')}
          name="lastName"
          autoComplete="family-name"
          required
          error={errorOf('lastName')}
        />
      </div>
      <CountryField
        countries={countries}
        hint={words('signUp.countryHint')}
        autoComplete="country"
        error={errorOf('country')}
      />
      {/* A wallet belongs to the account that it was given to, and the service makes no other with it. */}
      <WalletProofField
        key={`wallet ${restarts}`}
        issueSignUpChallenge={issueSignUpChallenge}
        merchant={merchant}
        walletConnectProjectId={walletConnectProjectId}
        error={errorOf('wallet')}
      />
      <ActionOutcome state={state} />
      <DraftLine draft={draft} />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <p className="text-muted text-sm">
          {words('signUp.beenHere')}{' '}
          <Link href="/sign-in" className="underline hover:text-text">
            {words('signUp.signIn')}
          </Link>
        </p>
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="w-full sm:w-auto"
          pending={pending}
          disabled={countries.kind === 'unknown'}
        >
          {words(pending ? 'signUp.creating' : 'signUp.create')}
        </Button>
      </div>
    </form>
  )
}
