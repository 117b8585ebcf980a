'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { type CountryChoices, CountryField } from '#components/ui/form/country-field.tsx'
import { DraftLine } from '#components/ui/form/draft-line.tsx'
import { EmailField } from '#components/ui/form/email-field.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { Link } from '#components/ui/link.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/issue-challenge.ts'
import type { SignedUp } from '#lib/identity/sign-in/sign-up.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { WalletProofField } from './wallet-proof-field.tsx'

export function SignUpForm({
  signUp,
  issueSignUpChallenge,
  merchant,
  walletConnectProjectId,
  countries,
  onSignedUp,
}: {
  readonly signUp: Action<SignedUp>
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly merchant: string
  /** Null where WalletConnect is not set up. */
  readonly walletConnectProjectId: string | null
  readonly countries: CountryChoices
  readonly onSignedUp: (account: SignedUp) => void
}) {
  const words = useWords()
  const { state, pending, errorOf, draft, form } = useFormAction(signUp, onSignedUp, { draft: 'sign-up' })
  return (
    <form {...form} className="grid grid-cols-[minmax(0,1fr)] gap-5">
      <EmailField hint={words('signUp.emailHint')} error={errorOf('email')} />
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
      <WalletProofField
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
          pending={pending || state.kind === 'done'}
          disabled={countries.kind === 'unknown'}
        >
          {words(pending ? 'signUp.creating' : 'signUp.create')}
        </Button>
      </div>
    </form>
  )
}
