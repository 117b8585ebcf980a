'use client'

import type { ReactNode } from 'react'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { ConfirmedActionButton } from './confirmed-action-button.tsx'

/** The action that allows an export returns this. */
export interface AllowedExport {
  readonly ticket: string
}

/** The button fetches a file of personal data once a reason was given. */
export function ExportButton({
  address,
  ...dialog
}: {
  readonly label: string
  readonly title: string
  readonly description: ReactNode
  readonly action: Action<AllowedExport>
  readonly fields: Readonly<Record<string, string>>
  /** `address` is the file's address without the ticket. */
  readonly address: string
}) {
  return (
    <ConfirmedActionButton
      {...dialog}
      afterFreshSignIn
      // The fields may hold the searched text.
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
