'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { useState, useTransition } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import type { IssuedChallenge } from '#lib/sign-in/issue-challenge.ts'
import type { SignedUp } from '#lib/sign-in/sign-up.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { EmailField } from '../form/email-field.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { RefusalCallout } from '../refusal-callout.tsx'
import { Button } from '../ui/button.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { WalletProofField } from './wallet-proof-field.tsx'

/** The countries that the service supports, or why they cannot be had. */
export type CountryChoices =
  | {
      readonly kind: 'known'
      readonly countries: readonly { readonly code: string; readonly name: string }[]
    }
  | { readonly kind: 'unknown'; readonly title: string; readonly next: string }

export function SignUpForm({
  signUp,
  issueSignUpChallenge,
  countries,
  onSignedUp,
}: {
  readonly signUp: Action<SignedUp>
  readonly issueSignUpChallenge: Action<IssuedChallenge>
  readonly countries: CountryChoices
  readonly onSignedUp: (account: SignedUp) => void
}) {
  const { state, pending, errorOf, form } = useFormAction(signUp, onSignedUp)
  return (
    <form {...form} className="grid gap-5">
      <EmailField hint="Codes for signing in are sent here." error={errorOf('email')} />
      <div className="grid gap-5 sm:grid-cols-2 sm:gap-4">
        <TextField
          label="First name"
          name="firstName"
          autoComplete="given-name"
          required
          error={errorOf('firstName')}
        />
        <TextField
          label="Last name"
          name="lastName"
          autoComplete="family-name"
          required
          error={errorOf('lastName')}
        />
      </div>
      <CountryField countries={countries} error={errorOf('country')} />
      <WalletProofField issueSignUpChallenge={issueSignUpChallenge} error={errorOf('wallet')} />
      <ActionOutcome state={state} />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <p className="text-muted text-sm">
          Been here before?{' '}
          <Link href="/sign-in" className="underline hover:text-text">
            Sign in
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
          {pending ? 'Creating…' : 'Create account'}
        </Button>
      </div>
    </form>
  )
}

function CountryField({
  countries,
  error,
}: {
  readonly countries: CountryChoices
  readonly error: string | undefined
}) {
  const router = useRouter()
  const [loading, startLoading] = useTransition()
  const [chosen, setChosen] = useState('')
  if (countries.kind === 'unknown') {
    return (
      <RefusalCallout
        refusal={countries}
        actions={
          <Button size="sm" pending={loading} onClick={() => startLoading(() => router.refresh())}>
            Load countries again
          </Button>
        }
      >
        {' What you have typed stays.'}
      </RefusalCallout>
    )
  }
  return (
    <Field
      label="Country"
      hint="Where you live; these are the countries that the service supports."
      error={error}
    >
      {(control) => (
        <Select
          {...control}
          name="country"
          autoComplete="country"
          required
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">Choose…</option>
          {countries.countries.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
