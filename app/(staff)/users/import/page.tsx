import { FileUp } from 'lucide-react'
import type { Metadata } from 'next'
import { ImportsTable } from '#components/people/imports-table.tsx'
import { UploadPeople } from '#components/people/upload-people.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { listImports } from '#lib/people/import/list-imports.ts'

export const metadata: Metadata = { title: 'Import people' }

export default async function ImportPage() {
  const caller = await requirePage('manage-people', '/users/import')
  const imports = await listImports(caller)
  return (
    <>
      <RowKeys />
      <PageHeader title="Import people">
        Each file is checked first. Nothing is imported until you confirm.
      </PageHeader>
      <div className="mt-5 grid gap-5">
        <UploadPeople />
        <Card title="Columns" className="max-w-[46rem]">
          <p className="text-muted text-table">
            <span className="mono">user_uuid</span> for existing users of the provider, or{' '}
            <span className="mono">email</span>, <span className="mono">first_name</span>,{' '}
            <span className="mono">last_name</span> and <span className="mono">country</span> (two letters)
            for new people. <span className="mono">customer_number</span> is optional. Other columns are
            ignored. Wallets cannot be imported: only their owners can prove them.
          </p>
        </Card>
        <Card aria-label="Imports">
          {imports.length > 0 ? (
            <ImportsTable imports={imports} />
          ) : (
            <EmptyState icon={FileUp} title="No file was checked yet">
              Each checked file appears here with its results.
            </EmptyState>
          )}
        </Card>
      </div>
    </>
  )
}
