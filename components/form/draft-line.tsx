import { Button } from '../ui/button.tsx'
import type { FormDraft } from './use-draft.ts'

/** Says beside a form’s buttons that what stands there was typed before, and takes it back. */
export const DraftLine = ({ draft: { restored, discard } }: { readonly draft: FormDraft }) => (
  <p role="status" className="mr-auto flex items-center gap-1 text-muted text-sm empty:hidden">
    {restored && (
      <>
        Draft restored ·
        <Button size="sm" variant="ghost" className="-ml-1.5 underline" onClick={discard}>
          Discard
        </Button>
      </>
    )}
  </p>
)
