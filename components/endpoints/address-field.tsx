'use client'

import { useState } from 'react'
import { Field, TextField } from '#components/ui/field.tsx'
import { Input } from '#components/ui/input.tsx'
import type { PublicAddressCheck } from '#lib/endpoints/public-address-check.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { Choice } from './events-field.tsx'
import { PublicAddressCheckButton } from './public-address-check-button.tsx'

/** An endpoint stays at its address, delivers here, or delivers to a url elsewhere. */
export type AddressChoice = 'same' | 'here' | 'elsewhere'

/** The field asks whether an endpoint delivers here or to a url elsewhere. */
export function AddressField({
  start,
  own,
  same,
  check,
  sandbox,
  suggested = null,
  error,
  onChoose,
}: {
  readonly start: AddressChoice
  /** `own` is this dashboard's address for the endpoint; null when it is made only on saving. */
  readonly own: string | null
  /** `same` is the present url, when it may stay. */
  readonly same?: string
  /** `check` finds out whether this dashboard can be reached at its public address. */
  readonly check: Action<PublicAddressCheck>
  /** `sandbox` accepts plain HTTP on this machine. */
  readonly sandbox: boolean
  /** `suggested` fills the field with a receiver for trying it out. */
  readonly suggested?: string | null
  readonly error: string | undefined
  readonly onChoose?: (to: AddressChoice) => void
}) {
  const [to, setTo] = useState(start)
  const choose = (place: AddressChoice) => {
    setTo(place)
    onChoose?.(place)
  }
  const [url, setUrl] = useState(suggested ?? '')
  return (
    <fieldset>
      <legend className="mb-1.5 font-label text-sm">Delivers to</legend>
      <div className="mb-3 grid gap-2 sm:auto-cols-fr sm:grid-flow-col">
        {same !== undefined && (
          <Choice
            label="As now"
            name="to"
            value="same"
            checked={to === 'same'}
            onChange={() => choose('same')}
          />
        )}
        <Choice
          label="This dashboard"
          name="to"
          value="here"
          checked={to === 'here'}
          onChange={() => choose('here')}
        />
        <Choice
          label="Another address"
          name="to"
          value="elsewhere"
          checked={to === 'elsewhere'}
          onChange={() => choose('elsewhere')}
        />
      </div>
      {to === 'same' && <p className="mono break-all text-muted text-sm">{same}</p>}
      {to === 'here' && own === null && (
        <p className="text-muted text-sm">
          It gets an address of this dashboard, and its secret is rotated to check deliveries.
        </p>
      )}
      {to === 'here' && own !== null && (
        <Field
          label="This dashboard’s address"
          hint="Made for this endpoint alone. Its secret is stored as a hash; nobody needs to copy it."
          error={error}
        >
          {(control) => <Input {...control} readOnly mono value={own} />}
        </Field>
      )}
      {to === 'here' && (
        <div className="mt-3">
          <PublicAddressCheckButton check={check} />
        </div>
      )}
      {to === 'elsewhere' && (
        <TextField
          label="URL"
          name="url"
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          mono
          required
          placeholder="https://example.com/webhooks"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          hint={
            suggested !== null && url === suggested
              ? 'The sandbox’s own receiver, which shows what came. Any https address will do, or http on this machine.'
              : `An https address${sandbox ? ', or http on this machine' : ''}. Its deliveries are not seen here.`
          }
          error={error}
        />
      )}
    </fieldset>
  )
}
