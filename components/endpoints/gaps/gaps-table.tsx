import { Link } from '#components/ui/link.tsx'
import { Pill } from '#components/ui/pill.tsx'
import { ListTable, Td, Th, Tr } from '#components/ui/table.tsx'
import { Time } from '#components/ui/time.tsx'
import type { GapView } from '#lib/endpoints/gaps/gap-view.ts'
import { formatDuration } from '#lib/words/labels/duration.ts'
import { gapOutcomeLabels, gapStateLabel, gapTitle } from './gap-labels.ts'

/** Each gap is a row. A narrow page shows what happened, the state and the time below each other. */
export function GapsTable({ gaps }: { readonly gaps: readonly GapView[] }) {
  return (
    <ListTable>
      <thead className="max-md:sr-only">
        <tr>
          <Th className="w-[34%] xl:w-[42%]">What happened</Th>
          <Th className="w-44">Status</Th>
          <Th>Began</Th>
          <Th>Ended</Th>
          <Th numeric className="w-32">
            Duration
          </Th>
        </tr>
      </thead>
      <tbody>
        {gaps.map((gap) => (
          <Row key={gap.id} gap={gap} />
        ))}
      </tbody>
    </ListTable>
  )
}

function Row({ gap }: { readonly gap: GapView }) {
  const { id, beganAt, endedAt, closed } = gap
  const state = gapStateLabel(gap)
  return (
    <Tr className="relative transition-colors hover:bg-hover max-md:block max-md:px-gutter max-md:py-3">
      <Td className="h-auto whitespace-normal! py-2.5 max-md:block max-md:px-0! max-md:pt-0 max-md:pb-2">
        <Link href={`/gaps/${id}`} data-row className="font-strong row-link">
          {gapTitle(gap)}
        </Link>
        {closed && <span className="block text-muted text-sm">{gapOutcomeLabels[closed.outcome]}</span>}
      </Td>
      <Td className={cell}>
        <Pill tone={state.tone}>{state.label}</Pill>
      </Td>
      <Td className={cell}>
        <span className="text-muted md:hidden">from </span>
        <Time at={beganAt} style="clock" />
      </Td>
      <Td className={cell}>
        {endedAt ? (
          <>
            <span className="text-muted md:hidden">to </span>
            <Time at={endedAt} style="clock" />
          </>
        ) : (
          <span className="text-muted max-md:hidden">not yet</span>
        )}
      </Td>
      <Td numeric className={cell}>
        <span className="text-muted md:hidden">for </span>
        {endedAt ? (
          formatDuration((Date.parse(endedAt) - Date.parse(beganAt)) / 1000)
        ) : (
          <Time at={beganAt} style="elapsed" />
        )}
      </Td>
    </Tr>
  )
}

const cell =
  'whitespace-normal! max-md:mr-4 max-md:inline-block max-md:overflow-visible! max-md:h-auto max-md:px-0! max-md:text-sm'
