import { Repeat2 } from 'lucide-react'
import type { Metadata } from 'next'
import { ReplaysTable } from '#components/endpoints/replays/replays-table.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { listReplays, parseReplayId } from '#lib/endpoints/replays/replays.ts'
import { requirePage } from '#lib/identity/sessions/read-request.ts'

export const metadata: Metadata = { title: 'Replays' }

interface Props {
  readonly searchParams: Promise<{ readonly before?: string | string[] }>
}

export default async function ReplaysPage({ searchParams }: Props) {
  const before = parseReplayId((await searchParams).before)
  const caller = await requirePage('replay-deliveries', '/replays')
  const { replays, older } = await listReplays(caller, before)
  return (
    <>
      <RowKeys />
      <PageHeader
        title="Replays"
        actions={
          <ButtonLink variant="primary" href="/replays/new">
            Replay webhooks
          </ButtonLink>
        }
      >
        Stored deliveries that were sent again, here or elsewhere.
      </PageHeader>
      <Card className="mt-5">
        {replays.length > 0 ? (
          <ReplaysTable replays={replays} />
        ) : (
          <EmptyState
            icon={Repeat2}
            title="Nothing was sent again yet"
            action={<ButtonLink href="/replays/new">Choose deliveries</ButtonLink>}
          >
            Each replay appears here with the result of every delivery.
          </EmptyState>
        )}
        <PageLinks newest={before ? '/replays' : null} older={older && `/replays?before=${older}`} />
      </Card>
      {replays.some(({ state }) => state === 'running') && <RefreshEvery seconds={5} />}
    </>
  )
}
