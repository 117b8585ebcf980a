import { CopyButton } from '#components/ui/copy-button.tsx'
import { type AllowedExport, ExportButton } from '#components/ui/form/export-button.tsx'
import type { AskableGap } from '#lib/endpoints/gaps/get-gap.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { gapProviderText } from './gap-provider-text.ts'

/** What is handed on about a gap: words for the provider, and its open transactions for those who may export. */
export function GapExports({
  gap,
  allowExport,
}: {
  readonly gap: AskableGap
  /** Null for whoever may not. */
  readonly allowExport: Action<AllowedExport> | null
}) {
  return (
    <>
      <CopyButton text={gapProviderText(gap)}>Copy for provider</CopyButton>
      {allowExport && gap.total.count > 0 && (
        <ExportButton
          label="Export CSV"
          title="Export the transactions that were open?"
          description="A file with each transaction, its user’s id and its amounts. All admins are told."
          action={allowExport}
          fields={{ gapId: gap.id }}
          address={`/api/gaps/${gap.id}`}
        />
      )}
    </>
  )
}
