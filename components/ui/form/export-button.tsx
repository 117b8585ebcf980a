'use client'

import type { ReactNode } from 'react'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { ConfirmedActionButton } from './confirmed-action-button.tsx'

/** What an action answers that allows an export. */
export interface AllowedExport {
  readonly ticket: string
}

/** A button for a file of personal data, which is fetched once a reason was given. */
export function ExportButton({
  address,
  ...dialog
}: {
  readonly label: string
  readonly title: string
  readonly description: ReactNode
  readonly action: Action<AllowedExport>
  readonly fields: Readonly<Record<string, string>>
  /** Where the file is, but for the ticket. */
  readonly address: string
}) {
  return (
    <ConfirmedActionButton
      {...dialog}
      afterFreshSignIn
      // The fields may hold what was searched for.
      draft={dialog.label}
      done="The file is on its way."
      onDone={({ ticket }) => {
        const file = new URL(address, window.location.href)
        file.searchParams.set('ticket', ticket)
        window.location.assign(file)
      }}
    />
  )
}
