import { Radio } from 'lucide-react'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { gapKindLabels } from '#components/endpoints/gaps/gap-labels.ts'
import { GapsTable } from '#components/endpoints/gaps/gaps-table.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { type LinkSegment, Segmented } from '#components/ui/segmented.tsx'
import { listGaps } from '#lib/endpoints/gaps/gaps.ts'
import { gapKinds } from '#lib/endpoints/rules/gaps.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { CursorRefused, onRefusal } from '#lib/platform/refusals.ts'
import { addressOf } from '../address-of.ts'

export const metadata: Metadata = { title: 'Missed deliveries' }

const SearchSchema = z.object({
  state: z.enum(['open', 'closed']).optional().catch(undefined),
  kind: z.enum(gapKinds).optional().catch(undefined),
  before: z.string().max(2_000).optional().catch(undefined),
})

type Search = z.output<typeof SearchSchema>

interface Props {
  readonly searchParams: Promise<Record<string, unknown>>
}

export default async function GapsPage({ searchParams }: Props) {
  const search = SearchSchema.parse(await searchParams)
  const caller = await requirePage('see-endpoint-health', path(search))
  const { rows, next } = await listGaps(caller, search).catch(
    onRefusal(CursorRefused, () => redirect(path({ ...search, before: undefined }))),
  )
  return (
    <>
      <RowKeys />
      <PageHeader title="Missed deliveries">When deliveries may be missing (latest first).</PageHeader>
      <div className="mt-5 grid gap-4">
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Segmented
            name="Status"
            segments={[
              segment(search, 'Any status', { state: undefined }),
              segment(search, 'Open', { state: 'open' }),
              segment(search, 'Closed', { state: 'closed' }),
            ]}
          />
          <Segmented
            name="Kind"
            segments={[
              segment(search, 'Any kind', { kind: undefined }),
              ...gapKinds.map((kind) => segment(search, gapKindLabels[kind].label, { kind })),
            ]}
          />
        </div>
        <Card>
          {rows.length > 0 ? <GapsTable gaps={rows} /> : <NoGaps search={search} />}
          <PageLinks
            newest={search.before ? path({ ...search, before: undefined }) : null}
            older={next && path({ ...search, before: next })}
          />
        </Card>
      </div>
      <RefreshEvery seconds={30} />
    </>
  )
}

function segment(search: Search, label: string, set: Partial<Search>): LinkSegment {
  const next = { ...search, ...set, before: undefined }
  const chosen = next.state === search.state && next.kind === search.kind
  return { key: label, label, href: path(next), chosen }
}

function NoGaps({ search }: { readonly search: Search }) {
  if (search.before) return <EmptyState title="Nothing more here" />
  if (search.state || search.kind) {
    return (
      <EmptyState
        title="No missed deliveries match"
        action={<ButtonLink href="/gaps">Show all</ButtonLink>}
      />
    )
  }
  return (
    <EmptyState icon={Radio} title="No missed deliveries">
      Failed or deferred deliveries, inactive endpoints and unusual silence appear here. Each shows the
      transactions that may be affected.
    </EmptyState>
  )
}

const path = (search: Search): string => addressOf('/gaps', search)
