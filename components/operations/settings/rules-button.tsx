'use client'

import { useRouter } from 'next/navigation'
import { Field, TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { Select } from '#components/ui/input.tsx'
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
      description="Changes apply at once. All admins are told."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      // The draft is kept when the admin opens the dialog again, also after somebody else changed the rules.
      draft="rules"
      done="Changed: the rules apply from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <>
          <Choice
            label="Public sign-up"
            name="publicSignUp"
            hint="Whether anybody may create an account from the sign-in page."
            value={String(publicSignUp)}
            off="Off: only staff add people"
            on="On: anybody can sign up"
            error={errorOf('publicSignUp')}
          />
          <TextField
            label="Reason for reveals"
            name="revealTicketPattern"
            mono
            defaultValue={revealTicketPattern ?? ''}
            hint="A regular expression that each reveal reason must match, such as ^HELP-\d+. Empty: any reason."
            maxLength={200}
            spellCheck={false}
            error={errorOf('revealTicketPattern')}
          />
          <TextField
            label="Ticket links"
            name="ticketAddress"
            mono
            defaultValue={ticketAddress ?? ''}
            hint="The only address that notes may link to, such as https://help.example/tickets/{ticket}. Empty: any https address."
            maxLength={500}
            spellCheck={false}
            error={errorOf('ticketAddress')}
          />
          <TextField
            label="Verification link"
            name="verificationUrl"
            type="url"
            inputMode="url"
            defaultValue={verificationUrl ?? ''}
            hint="The https address behind “Verify your identity” on a customer’s page. Empty: they are told to ask support."
            maxLength={500}
            error={errorOf('verificationUrl')}
          />
          <Choice
            label="KYC share tokens"
            name="kycShareToken"
            hint="Whether admins may create a token that shares a user’s verification with another party."
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
