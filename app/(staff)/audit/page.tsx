import { ScrollText } from 'lucide-react'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { AuditFilterForm, ZoneNote } from '#components/audit/audit-filter-form.tsx'
import { AuditTable } from '#components/audit/audit-table.tsx'
import { ChainCard } from '#components/audit/chain-card.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ExportButton } from '#components/ui/form/export-button.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { readChainState } from '#lib/audit/check-chain.ts'
import { AuditFiltersSchema, listAudit } from '#lib/audit/list-audit.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { formats } from '#lib/platform/rules/csv.ts'
import { addressOf } from '../address-of.ts'
import { allowAuditExportAction, checkChainAction, resolveFiltersAction } from './actions.ts'

export const metadata: Metadata = { title: 'Audit' }

/** An empty field of the form counts as missing. */
const SearchSchema = AuditFiltersSchema.extend({ before: z.string().max(2_000).optional().catch(undefined) })

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

/** The page shows who did what, when, from where and why, and who read whose personal data. */
export default async function AuditPage({ searchParams }: Props) {
  const { before, ...filters } = SearchSchema.parse(await searchParams)
  const caller = await requirePage('read-audit', addressOf('/audit', { ...filters, before }))
  const [{ rows, next }, chain] = await Promise.all([
    listAudit(caller, { ...filters, before }).catch(
      onRefusal(CursorRefused, () => redirect(addressOf('/audit', filters))),
    ),
    readChainState(caller),
  ])
  return (
    <>
      <RowKeys />
      <PageHeader
        title="Audit"
        actions={formats.map((format) => (
          <ExportButton
            key={format}
            label={`Export ${format === 'csv' ? 'CSV' : 'NDJSON'}`}
            title="Export the audit log?"
            description={`${format === 'csv' ? 'A CSV' : 'An NDJSON'} file of all matching entries: who did what, from where and why. All admins are told.`}
            action={allowAuditExportAction}
            fields={namedOf({ ...filters, format })}
            address={addressOf('/api/audit/export', { ...filters, format })}
          />
        ))}
      >
        Who did what, when and why, and who read personal data. <ZoneNote />
      </PageHeader>
      <div className="mt-5 grid gap-4">
        <ChainCard state={chain} verify={checkChainAction} />
        <AuditFilterForm
          key={JSON.stringify(filters)}
          filters={filters}
          whoName={(filters.who && rows[0]?.actor?.name) || null}
          resolve={resolveFiltersAction}
        />
        <Card>
          {rows.length > 0 ? (
            <AuditTable entries={rows} role={caller.role} />
          ) : before ? (
            <EmptyState title="Nothing more here" />
          ) : (
            <EmptyState
              icon={ScrollText}
              title="Nothing matches"
              action={<ButtonLink href="/audit">Show everything</ButtonLink>}
            >
              Refused sign-ins are kept for 90 days, everything else for good.
            </EmptyState>
          )}
          <PageLinks
            newest={before ? addressOf('/audit', filters) : null}
            older={next && addressOf('/audit', { ...filters, before: next })}
          />
        </Card>
      </div>
    </>
  )
}

/** Only the filters that are set are returned. */
const namedOf = (filters: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
