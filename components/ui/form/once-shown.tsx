'use client'

import { useLayoutEffect, useState } from 'react'
import { AlertDialog, AlertDialogCancel } from '../alert-dialog.tsx'
import { Button } from '../button.tsx'
import { CopyButton } from '../copy-button.tsx'
import { DialogActions } from '../dialog.tsx'
import { guardLeaving, keepPage } from './leave-guard.ts'

/** The secret is shown only this once: until it was copied, leaving asks first. */
export function OnceShown({
  secret,
  name,
  copy,
  lost,
}: {
  readonly secret: string
  readonly name: string
  /** `copy` is the label of the button that copies it. */
  readonly copy: string
  /** `lost` says what to do when the secret is lost. */
  readonly lost: string
}) {
  const [copied, setCopied] = useState(false)
  const [leave, setLeave] = useState<(() => void) | null>(null)
  // The guard ends together with the word that the secret was copied, not after it.
  useLayoutEffect(() => (copied ? undefined : guardLeaving((then) => setLeave(() => then))), [copied])
  useLayoutEffect(keepPage, [])
  return (
    <div
      data-copied={copied || undefined}
      className="flex flex-wrap items-center gap-2.5 rounded-panel border bg-code px-3.5 py-2.5"
    >
      <output
        aria-label={name}
        className="mono min-w-0 flex-1 basis-52 break-all text-sm"
        // The reader copies by hand when the browser has no clipboard for pages.
        onCopy={() => setCopied(true)}
      >
        {secret}
      </output>
      <CopyButton text={secret} variant="primary" onCopied={() => setCopied(true)}>
        {copy}
      </CopyButton>
      <AlertDialog
        open={leave !== null}
        onOpenChange={(open) => !open && setLeave(null)}
        title={`Leave without the ${name.toLowerCase()}?`}
        description={`It was not copied. It is shown only once and not stored here. ${lost}`}
      >
        <DialogActions>
          <AlertDialogCancel>Stay</AlertDialogCancel>
          <Button
            variant="danger"
            onClick={() => {
              setLeave(null)
              leave?.()
            }}
          >
            Leave without it
          </Button>
        </DialogActions>
      </AlertDialog>
    </div>
  )
}
