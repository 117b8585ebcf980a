'use client'

import { useRouter } from 'next/navigation'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { type CountryChoices, CountryField } from '#components/ui/form/country-field.tsx'
import { DraftLine } from '#components/ui/form/draft.tsx'
import { openMade } from '#components/ui/form/leave-guard.ts'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { ButtonLink } from '#components/ui/link.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The form makes one person a user of the service. */
export function AddPersonForm({
  add,
  countries,
}: {
  readonly add: Action<{ readonly userUuid: string }>
  readonly countries: CountryChoices
}) {
  const router = useRouter()
  const { state, pending, errorOf, draft, form } = useFormAction(
    add,
    ({ userUuid }) => {
      const made = `/users/${userUuid}`
      openMade(made, () => router.push(made))
    },
    { draft: 'add', done: 'Added: they can sign in with a code.' },
  )
  return (
    <form {...form} className="mt-5">
      <Card title="Who it is" className="grid max-w-[46rem] gap-4">
        <TextField
          label="E-mail"
          name="email"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          hint="Codes for signing in are sent here."
          error={errorOf('email')}
        />
        <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,15rem),1fr))] gap-4">
          <TextField
            label="First name"
            name="firstName"
            autoComplete="off"
            required
            error={errorOf('firstName')}
          />
          <TextField
            label="Last name"
            name="lastName"
            autoComplete="off"
            required
            error={errorOf('lastName')}
          />
          <CountryField countries={countries} error={errorOf('country')} />
          <TextField
            label="Customer number"
            aside="Optional"
            name="customerNumber"
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            hint="Your own. You can search people by it."
            error={errorOf('customerNumber')}
          />
        </div>
        <ActionOutcome state={state} />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <DraftLine draft={draft} />
          <ButtonLink href="/users">Cancel</ButtonLink>
          <Button
            type="submit"
            variant="primary"
            pending={pending || state.kind === 'done'}
            disabled={countries.kind === 'unknown'}
          >
            Add
          </Button>
        </div>
      </Card>
    </form>
  )
}
