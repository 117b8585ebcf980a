'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field, TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'
import { FileInput } from '#components/ui/input.tsx'
import { MerchantMark } from '#components/ui/shared/merchant.tsx'
import { eventTypes, otherEvents } from '#lib/deliveries/rules/event-types.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { eventTypeLabels, otherEventsLabel } from '#lib/timeline/labels/event-type-labels.ts'

/** The dialog sets after how many days the personal data of events ends, by type. */
export function RetentionButton({
  days,
  seen,
  save,
}: {
  readonly days: Readonly<Record<string, number>>
  /** `seen` is the version of what is shown, so that an admin never overwrites a change that they have not seen. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change retention"
      title="Change how long personal data is kept?"
      description="After these days personal data is removed from these events; amounts and times stay. “Anything else” means unknown types and unreadable bodies. This cannot be undone. Empty: kept for good."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      // The draft is kept when the admin opens the dialog again, also after somebody else changed the settings.
      draft="retention"
      done="Saved. The new retention applies from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-3">
          {([...eventTypes, otherEvents] as const).map((type) => (
            <TextField
              key={type}
              label={`${type === otherEvents ? otherEventsLabel : eventTypeLabels[type].label}, days`}
              name={type}
              type="number"
              min={1}
              max={36_500}
              inputMode="numeric"
              placeholder="for good"
              defaultValue={days[type] ?? ''}
              error={errorOf(type)}
            />
          ))}
        </div>
      )}
    </ConfirmedActionButton>
  )
}

/** The dialog sets for how many months the log keeps bodies, and events are kept at all. */
export function LogMonthsButton({
  months,
  seen,
  save,
}: {
  readonly months: { readonly bodies?: number | undefined; readonly events?: number | undefined }
  /** `seen` is the version of what is shown, so that an admin never overwrites a change that they have not seen. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change months"
      title="Change how long the log and events are kept?"
      description="Older data is removed within a day, for good. Events without bodies keep status, amounts, IDs and names. Events are removed with their finished transaction; open ones stay. To preview: npm run rampart retention bodies=12 events=24."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      draft="log-months"
      done="Saved. The new retention applies from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-3">
          {(
            [
              ['bodies', 'Bodies, months'],
              ['events', 'Events, months'],
            ] as const
          ).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              type="number"
              min={1}
              max={1_200}
              inputMode="numeric"
              placeholder="for good"
              defaultValue={months[name] ?? ''}
              error={errorOf(name)}
            />
          ))}
        </div>
      )}
    </ConfirmedActionButton>
  )
}

/** The new API key is used at once. */
export function ApiKeyButton({ change }: { readonly change: Action<{ readonly fingerprint: string }> }) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Replace the API key"
      title="Replace the API key?"
      description="The key is checked with the provider first. Every call then uses it, without a restart. It is stored encrypted and never shown."
      action={change}
      afterFreshSignIn
      fields={{}}
      done="The new key is in use."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <TextField
          label="API key"
          name="apiKey"
          type="password"
          autoComplete="off"
          mono
          required
          error={errorOf('apiKey')}
        />
      )}
    </ConfirmedActionButton>
  )
}

/** The service makes a token of a user's verification, which is shown once. */
export function ShareTokenButton({ share }: { readonly share: Action<{ readonly token: string }> }) {
  return (
    <ConfirmedActionButton
      label="Make a share token"
      title="Share a user’s verification?"
      description="Whoever has the token gets the personal data that the user was verified with. It is shown once and kept nowhere."
      action={share}
      afterFreshSignIn
      fields={{}}
      done={null}
      onDone={() => undefined}
      result={({ token }) => ({
        title: 'Copy the token now',
        body: (
          <OnceShown
            secret={token}
            name="Share token"
            copy="Copy token"
            lost="If it is lost, make another one."
          />
        ),
      })}
    >
      {(errorOf) => (
        <TextField
          label="User ID"
          name="userUuid"
          mono
          autoComplete="off"
          spellCheck={false}
          required
          error={errorOf('userUuid')}
        />
      )}
    </ConfirmedActionButton>
  )
}

/**
 * The dialog changes what customers see of the merchant, on the sign-in page and their own pages, and whom they
 * write to.
 */
export function BrandButton({
  name,
  mark,
  legalName,
  contact,
  seen,
  save,
}: {
  readonly name: string
  readonly mark: string | null
  readonly legalName: string | null
  readonly contact: string | null
  /** `seen` is the version of what is shown, so that an admin never overwrites a change that they have not seen. */
  readonly seen: string
  readonly save: Action<null>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Change brand"
      title="Change how customers know you?"
      description="All customers see changes at once. All admins are told."
      action={save}
      afterFreshSignIn
      fields={{ seen }}
      // The draft is kept when the admin opens the dialog again, also after somebody else changed the settings.
      draft="brand"
      done="Customers see it from now on."
      onDone={() => router.refresh()}
    >
      {(errorOf) => (
        <>
          <TextField
            label="Name"
            name="merchantName"
            defaultValue={name}
            maxLength={60}
            error={errorOf('merchantName')}
          />
          <MarkField name={name} present={mark} error={errorOf('mark')} />
          <TextField
            label="Legal name and address"
            name="legalName"
            defaultValue={legalName ?? ''}
            hint="Printed on receipts, below the name."
            maxLength={300}
            error={errorOf('legalName')}
          />
          <TextField
            label="Support contact"
            name="supportContact"
            defaultValue={contact ?? ''}
            hint="An e-mail address, a telephone number or a web address, as customers should see it."
            maxLength={200}
            error={errorOf('supportContact')}
          />
        </>
      )}
    </ConfirmedActionButton>
  )
}

function MarkField({
  name,
  present,
  error,
}: {
  readonly name: string
  readonly present: string | null
  readonly error: string | undefined
}) {
  const [mark, setMark] = useState(present ?? '')
  const read = (file: File | undefined) => {
    if (!file) return
    const reader = new FileReader()
    reader.onload = () => setMark(String(reader.result))
    reader.readAsDataURL(file)
  }
  return (
    <>
      <Field
        label="Mark"
        hint="An image as PNG, SVG or WebP, at most 28 KB. Without one, the first letter of the name is shown."
        error={error}
      >
        {(control) => (
          <div className="flex flex-wrap items-center gap-3">
            <MerchantMark name={name} mark={mark === '' ? null : mark} />
            <FileInput
              {...control}
              accept="image/png,image/svg+xml,image/webp"
              onChange={(event) => read(event.target.files?.[0])}
            />
            {mark !== '' && (
              <Button size="sm" variant="ghost" onClick={() => setMark('')}>
                Remove
              </Button>
            )}
          </div>
        )}
      </Field>
      <input type="hidden" name="mark" value={mark} />
    </>
  )
}
