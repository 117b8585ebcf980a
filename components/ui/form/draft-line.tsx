'use client'

import { useWords } from '../browser/words.tsx'
import { Button } from '../button.tsx'
import type { FormDraft } from './use-draft.ts'

/** Says beside a form’s buttons that what stands there was typed before, and takes it back. */
export function DraftLine({ draft: { restored, discard } }: { readonly draft: FormDraft }) {
  const words = useWords()
  return (
    <p role="status" className="mr-auto flex items-center gap-1 text-muted text-sm empty:hidden">
      {restored && (
        <>
          {`${words('form.draftRestored')} ·`}
          <Button size="sm" variant="ghost" className="-ml-1.5 underline" onClick={discard}>
            {words('form.discard')}
          </Button>
        </>
      )}
    </p>
  )
}
