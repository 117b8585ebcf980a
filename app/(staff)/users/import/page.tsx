import { FileUp } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { RowKeys } from '#components/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { importStateLabels } from '#components/users/import-labels.ts'
import { UploadPeople } from '#components/users/upload-people.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { type ImportView, listImports } from '#lib/user-import/list-imports.ts'

export const metadata: Metadata = { title: 'Import people' }

export default async function ImportPage() {
  const caller = await requirePage('manage-people', '/users/import')
  const imports = await listImports(caller)
  return (
    <>
      <RowKeys />
      <PageHeader title="Import people">
        A file is checked first, line by line, and nothing is imported until you say so.
      </PageHeader>
      <div className="mt-5 grid gap-5">
        <UploadPeople />
        <Card title="What the columns can be" className="max-w-[46rem]">
          <p className="text-muted text-table">
            <span className="mono">user_uuid</span> for users whom the service knows, or{' '}
            <span className="mono">email</span>, <span className="mono">first_name</span>,{' '}
            <span className="mono">last_name</span> and <span className="mono">country</span> (two letters)
            for new people; <span className="mono">customer_number</span> beside either. Other columns are
            left out. A wallet is not imported: only its owner can prove it.
          </p>
        </Card>
        <Card aria-label="Imports">
          {imports.length > 0 ? (
            <ImportsTable imports={imports} />
          ) : (
            <EmptyState icon={FileUp} title="Nothing was imported yet">
              Each file that was checked appears here with what became of its lines.
            </EmptyState>
          )}
        </Card>
      </div>
    </>
  )
}

const ImportsTable = ({ imports }: { readonly imports: readonly ImportView[] }) => (
  <Table>
    <thead>
      <tr>
        <Th>File</Th>
        <Th>State</Th>
        <Th numeric>Imported</Th>
        <Th numeric>Not</Th>
        <Th className="max-sm:hidden">Checked</Th>
      </tr>
    </thead>
    <tbody>
      {imports.map(({ id, fileName, state, total, broken, done, failed, checkedAt }) => (
        <Tr key={id} className="relative hover:bg-hover">
          <Td className="w-[40%] max-w-0">
            <Link
              href={`/users/import/${id}`}
              data-row
              title={fileName}
              className="block truncate font-strong row-link"
            >
              {fileName}
            </Link>
          </Td>
          <Td>
            <Pill tone={importStateLabels[state].tone}>{importStateLabels[state].label}</Pill>
          </Td>
          <Td numeric>
            {done.toLocaleString('en')}
            <span className="text-muted max-sm:hidden"> of {(total - broken).toLocaleString('en')}</span>
          </Td>
          <Td numeric className={broken + failed > 0 ? 'text-fail' : 'text-muted'}>
            {(broken + failed).toLocaleString('en')}
          </Td>
          <Td className="text-muted max-sm:hidden">
            <Time at={checkedAt} />
          </Td>
        </Tr>
      ))}
    </tbody>
  </Table>
)
