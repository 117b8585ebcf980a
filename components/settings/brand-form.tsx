'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import { useFormAction } from '../form/use-form-action.ts'
import { MerchantMark } from '../merchant-mark.tsx'
import { Button } from '../ui/button.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { FileInput } from '../ui/file-input.tsx'
import { SaveButton } from './save-button.tsx'

/** How customers know the merchant: on the sign-in page and on their own pages. */
export function BrandForm({
  name,
  mark: present,
  contact,
  seen: shown,
  save,
}: {
  readonly name: string
  readonly mark: string | null
  readonly contact: string | null
  /** The version of what is shown: whoever has not seen what another saved overwrites nothing. */
  readonly seen: string
  readonly save: Action<{ readonly seen: string }>
}) {
  const router = useRouter()
  const [seen, setSeen] = useState(shown)
  const { state, pending, errorOf, draft, form } = useFormAction(
    save,
    (saved) => {
      setSeen(saved.seen)
      router.refresh()
    },
    { draft: 'brand' },
  )
  const [mark, setMark] = useState(present ?? '')
  const read = (file: File | undefined) => {
    if (!file) return
    const reader = new FileReader()
    reader.onload = () => setMark(String(reader.result))
    reader.readAsDataURL(file)
  }
  return (
    <form {...form} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <TextField
        label="Name"
        name="merchantName"
        defaultValue={name}
        maxLength={60}
        error={errorOf('merchantName')}
      />
      <Field
        label="Mark"
        hint="An image as PNG, SVG or WebP, at most 28 KB. Without one the name’s first letter stands there."
        error={errorOf('mark')}
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
                Take it away
              </Button>
            )}
          </div>
        )}
      </Field>
      <input type="hidden" name="mark" value={mark} />
      <input type="hidden" name="seen" value={seen} />
      <TextField
        label="Support contact"
        name="supportContact"
        defaultValue={contact ?? ''}
        hint="An e-mail address, a telephone number or a web address, as customers should see it."
        maxLength={200}
        error={errorOf('supportContact')}
      />
      <SaveButton state={state} pending={pending} draft={draft} />
    </form>
  )
}
