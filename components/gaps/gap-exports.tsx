import type { GapDetailsView } from '#lib/gaps/get-gap.ts'
import { ButtonLink } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { gapProviderText } from './gap-provider-text.ts'

/** What is handed on about a gap: words for the provider, and its open transactions for those who may export. */
export function GapExports({
  gap,
  mayExport,
}: {
  readonly gap: GapDetailsView
  readonly mayExport: boolean
}) {
  return (
    <>
      <CopyButton text={gapProviderText(gap)}>Copy for provider</CopyButton>
      {mayExport && gap.total.count > 0 && (
        <ButtonLink href={`/api/gaps/${gap.id}`} prefetch={false} download>
          CSV
        </ButtonLink>
      )}
    </>
  )
}
