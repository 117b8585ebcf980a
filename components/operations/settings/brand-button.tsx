'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field, TextField } from '#components/ui/field.tsx'
import { FileInput } from '#components/ui/file-input.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { MerchantMark } from '#components/ui/shared/merchant.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

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
