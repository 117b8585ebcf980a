'use client'

import { useRouter } from 'next/navigation'
import { useState, useTransition } from 'react'
import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import { Field } from '../field.tsx'
import { Select } from '../input.tsx'
import { RefusalCallout } from './refusal-callout.tsx'

/** The service supports these countries, or a message says why they are unknown. */
export type CountryChoices =
  | {
      readonly kind: 'known'
      readonly countries: readonly { readonly code: string; readonly name: string }[]
    }
  | { readonly kind: 'unknown'; readonly title: string; readonly next: string }

/**
 * The field `country` is a country that the service supports. The rest of the form stays while the countries are
 * loaded again.
 */
export function CountryField({
  countries,
  hint,
  error,
  autoComplete = 'off',
}: {
  readonly countries: CountryChoices
  readonly hint?: string
  /** `country` is for people who enter their own. */
  readonly autoComplete?: 'country' | 'off'
  readonly error: string | undefined
}) {
  const router = useRouter()
  const words = useWords()
  const [loading, startLoading] = useTransition()
  const [chosen, setChosen] = useState('')
  if (countries.kind === 'unknown') {
    return (
      <RefusalCallout
        refusal={countries}
        actions={
          <Button size="sm" pending={loading} onClick={() => startLoading(() => router.refresh())}>
            {words('form.loadCountries')}
          </Button>
        }
      >
        {` ${words('form.typedStays')}`}
      </RefusalCallout>
    )
  }
  return (
    <Field label={words('form.country')} hint={hint} error={error}>
      {(control) => (
        <Select
          {...control}
          name="country"
          autoComplete={autoComplete}
          required
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">{words('form.choose')}</option>
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
