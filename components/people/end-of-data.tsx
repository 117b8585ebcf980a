'use client'

import { useRouter } from 'next/navigation'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { type AllowedExport, ExportButton } from '#components/ui/form/export-button.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The card exports all data of a person or a company, or erases it. */
export function EndOfData({
  userUuid,
  isCompany,
  called,
  named,
  allowExport,
  erase,
}: {
  readonly userUuid: string
  readonly isCompany: boolean
  /** `called` is the name or e-mail address; null when neither is known. */
  readonly called: string | null
  /** `named` is typed to confirm: the e-mail address, or else the uuid. */
  readonly named: string
  readonly allowExport: Action<AllowedExport>
  readonly erase: Action<{ readonly erasureId: string }>
}) {
  const router = useRouter()
  const [one, their] = isCompany ? ['company', 'Its'] : ['person', 'Their']
  return (
    <>
      <ExportButton
        label="Export"
        title={`Export all that is held of this ${one}?`}
        description="A file with the profile, sign-ins, transactions, every event with its body, and what the audit says. All admins are told."
        action={allowExport}
        fields={{ userUuid }}
        address={`/api/users/${userUuid}/export`}
      />
      <ConfirmedActionButton
        label="Erase"
        variant="danger"
        title={`Erase ${called ?? `this ${one}`} for good?`}
        description={`${their} data leaves the directory, sign-in, every event and every search here, and this cannot be undone: no delivery and no import brings it back. Amounts stay, without a name. The service keeps what it has: ask it separately. All admins are told.`}
        action={erase}
        afterFreshSignIn
        fields={{ userUuid }}
        done={`${their} data is being taken out of everything.`}
        typeToConfirm={named}
        onDone={() => router.refresh()}
      />
    </>
  )
}
