import { clsx } from 'clsx'
import { Repeat2 } from 'lucide-react'
import type { Metadata } from 'next'
import {
  destinationLabel,
  FilterWords,
  replayStateLabels,
} from '#components/endpoints/replays/replay-labels.tsx'
import { RowKeys } from '#components/ui/browser/row-keys.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { PageLinks } from '#components/ui/list/page-links.tsx'
import { RefreshEvery } from '#components/ui/live/refresh.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import { listReplays, parseReplayId, type ReplayView } from '#lib/endpoints/replays/replays.ts'
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
        ) : before ? (
          <EmptyState title="Nothing more here" />
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

/** Each replay is a row. A narrow page keeps the destination, the state and the progress. */
function ReplaysTable({ replays }: { readonly replays: readonly ReplayView[] }) {
  return (
    <ListTable>
      <thead>
        <tr>
          <Th className="sm:w-[34%]">To</Th>
          <Th className="w-24 sm:w-32">Status</Th>
          <Th numeric className="w-12 sm:w-30">
            Sent
          </Th>
          <Th numeric className="w-16 max-md:pr-3.5 sm:w-20">
            Failed
          </Th>
          <Th className="w-32 max-xl:pr-3.5 pl-5 max-md:hidden">Started</Th>
          <Th className="max-xl:hidden">By</Th>
        </tr>
      </thead>
      <tbody>
        {replays.map((replay) => (
          <Row key={replay.id} replay={replay} />
        ))}
      </tbody>
    </ListTable>
  )
}

function Row({ replay }: { readonly replay: ReplayView }) {
  const { label, tone } = replayStateLabels[replay.state]
  const destination = destinationLabel(replay.address)
  return (
    <Tr className="relative transition-colors hover:bg-hover">
      <Td className="h-auto py-2.5">
        <Link
          href={`/replays/${replay.id}`}
          data-row
          className="wrap-anywhere block whitespace-normal font-strong row-link"
        >
          {destination}
        </Link>
        <span className="wrap-anywhere block whitespace-normal text-muted text-sm">
          <FilterWords filter={replay.filter} />
        </span>
      </Td>
      <Td>
        <Pill tone={tone}>{label}</Pill>
      </Td>
      <Td numeric>
        {replay.done.toLocaleString('en')}
        <span className="stacked:inline text-muted max-sm:hidden">
          {' '}
          of {replay.total.toLocaleString('en')}
        </span>
        <span className="stacked:inline hidden"> sent</span>
      </Td>
      <Td numeric className={clsx('max-md:pr-3.5', replay.failed > 0 ? 'text-fail' : 'text-muted')}>
        {replay.failed.toLocaleString('en')}
        <span className="stacked:inline hidden"> failed</span>
      </Td>
      <Td className="max-xl:pr-3.5 pl-5 text-muted max-md:hidden">
        <Time at={replay.startedAt} />
      </Td>
      <Td className="text-muted max-xl:hidden" title={replay.startedBy}>
        {replay.startedBy}
      </Td>
    </Tr>
  )
}
