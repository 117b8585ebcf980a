'use client'

import { useRouter } from 'next/navigation'
import { Field, TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Select } from '#components/ui/select.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The dialog changes who may open an account, and what staff may do with personal data. */
export function RulesButton({
  publicSignUp,
  kycShareToken,
  revealTicketPattern,
  ticketAddress,
  verificationUrl,
  seen,
  save,
}: {
  readonly publicSignUp: boolean
  readonly kycShareToken: boolean
  readonly revealTicketPattern: string | null
  readonly ticketAddress: string | null
  readonly verificationUrl: string | null
  /** `seen` is the version of what is shown, so that an admin never overwrites a change that they have not seen. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change rules"
      title="Change who gets in, and what protects personal data?"
      description="They hold as soon as they are changed. All admins are told."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      // The draft is kept when the admin opens the dialog again, also after somebody else changed the rules.
      draft="rules"
      done="The rules are changed and hold from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <>
          <Choice
            label="Public sign-up"
            name="publicSignUp"
            hint="Whether anybody may create an account at the service from the sign-in page."
            value={String(publicSignUp)}
            off="Off: only staff add people"
            on="On: anybody may sign up"
            error={errorOf('publicSignUp')}
          />
          <TextField
            label="Tickets for reveals"
            name="revealTicketPattern"
            mono
            defaultValue={revealTicketPattern ?? ''}
            hint="A regular expression that the reason for showing hidden personal data must match, such as ^HELP-\d+. Empty: any reason."
            maxLength={200}
            spellCheck={false}
            error={errorOf('revealTicketPattern')}
          />
          <TextField
            label="Where tickets are"
            name="ticketAddress"
            mono
            defaultValue={ticketAddress ?? ''}
            hint="A web address with https:// and {ticket} in it, such as https://help.example/tickets/{ticket}: notes link to nothing else. Empty: to any address with https."
            maxLength={500}
            spellCheck={false}
            error={errorOf('ticketAddress')}
          />
          <TextField
            label="Where customers verify themselves"
            name="verificationUrl"
            type="url"
            inputMode="url"
            defaultValue={verificationUrl ?? ''}
            hint="A web address with https://, behind “Verify yourself” on a customer’s page while it is their turn. Empty: they are told to ask support."
            maxLength={500}
            error={errorOf('verificationUrl')}
          />
          <Choice
            label="KYC share tokens"
            name="kycShareToken"
            hint="Whether admins may have the service make a token with which another party takes over a user’s verification."
            value={String(kycShareToken)}
            off="Off"
            on="On"
            error={errorOf('kycShareToken')}
          />
        </>
      )}
    </ConfirmedActionButton>
  )
}

function Choice({
  label,
  name,
  hint,
  value,
  off,
  on,
  error,
}: {
  readonly label: string
  readonly name: string
  readonly hint: string
  readonly value: string
  readonly off: string
  readonly on: string
  readonly error: string | undefined
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <Select {...control} name={name} defaultValue={value}>
          <option value="false">{off}</option>
          <option value="true">{on}</option>
        </Select>
      )}
    </Field>
  )
}
