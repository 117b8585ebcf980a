import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { ImportButtons } from '#components/people/import-buttons.tsx'
import { ImportProblems, ImportStanding, importStateLabels } from '#components/people/imports.tsx'
import { decodePathPart } from '#components/ui/browser/paths.ts'
import { ExportButton } from '#components/ui/form/export-button.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { findImport } from '#lib/people/import/list-imports.ts'
import { allowImportExportAction, startImportAction, stopImportAction } from '../../actions.ts'

export const metadata: Metadata = { title: 'Import' }

export default async function ImportDetailsPage({
  params,
}: {
  readonly params: Promise<{ readonly id: string }>
}) {
  const id = decodePathPart((await params).id)
  const caller = await requirePage('manage-people', `/users/import/${encodeURIComponent(id)}`)
  const view = await findImport(caller, id)
  if (!view) notFound()
  const { label, tone, meaning } = importStateLabels[view.state]
  return (
    <>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            <span className="wrap-anywhere">{view.fileName}</span>
            <Pill tone={tone}>{label}</Pill>
          </span>
        }
        actions={
          <>
            <ButtonLink href="/users/import">Another file</ButtonLink>
            <ExportButton
              label="Export CSV"
              title="Export the result of each line?"
              description="A file with each line’s number, user ID and error. All admins are told."
              action={allowImportExportAction}
              fields={{ importId: view.id }}
              address={`/api/users/import/${view.id}`}
            />
            <ImportButtons view={view} start={startImportAction} stop={stopImportAction} />
          </>
        }
      >
        {meaning}
      </PageHeader>
      <div className="mt-5 grid gap-5">
        <ImportStanding view={view} />
        {view.problems.length > 0 && (
          <ImportProblems problems={view.problems} more={view.broken + view.failed > view.problems.length} />
        )}
      </div>
      {view.state === 'running' && <RefreshEvery seconds={1} />}
    </>
  )
}
