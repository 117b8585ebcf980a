import { clsx } from 'clsx'
import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { ReplayView } from '#lib/endpoints/replays/replays.ts'
import { destinationLabel, FilterWords, replayStateLabels } from './replay-labels.tsx'

/** Each replay is a row. A narrow page keeps the destination, the state and the progress. */
export function ReplaysTable({ replays }: { readonly replays: readonly ReplayView[] }) {
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
