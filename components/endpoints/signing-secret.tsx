'use client'

import { Callout } from '../ui/callout.tsx'
import { CopyButton } from '../ui/copy-button.tsx'

/** A secret that is shown this once. */
export function SigningSecret({ secret, name }: { readonly secret: string; readonly name: string }) {
  return (
    <div className="grid gap-3">
      <Callout kind="warning" title="Copy it now: it is shown this once and not kept here.">
        Deliveries to “{name}” carry it as <span className="mono">Authorization: API-Key …</span>. If it is
        lost, rotate it.
      </Callout>
      <div className="flex flex-wrap items-center gap-2.5 rounded-panel border bg-code px-3.5 py-2.5">
        <output aria-label="Signing secret" className="mono min-w-0 flex-1 basis-52 break-all text-sm">
          {secret}
        </output>
        <CopyButton text={secret} variant="primary">
          Copy secret
        </CopyButton>
      </div>
    </div>
  )
}
