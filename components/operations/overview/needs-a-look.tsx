import { CircleCheck } from 'lucide-react'
import { RememberList } from '#components/ui/browser/remember-list.tsx'
import { ButtonLink } from '#components/ui/button-link.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import type { LookView } from '#lib/operations/overview/look-view.ts'
import type { Looks } from '#lib/operations/overview/read-looks.ts'
import { happenedDays, isWaiting, type LookKind } from '#lib/operations/rules/look-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { type LookAddress, LookFilter } from './look-filter.tsx'
import { LookRow } from './look-row.tsx'
import { MoreLooks } from './more-looks.tsx'
import { UnknownTypes } from './unknown-types.tsx'

/** What needs somebody's look: first what waits, the longest first, then what happened lately. */
export function NeedsALook({
  looks,
  chosen,
  hrefOf,
  mute,
}: {
  readonly looks: Looks
  readonly chosen: LookKind | null
  readonly hrefOf: LookAddress
  readonly mute: Action<{ readonly about: string }> | null
}) {
  const { kinds, waiting, happened, unknownTypes, preparing } = looks
  const listed = [...waiting, ...happened].flatMap((look) =>
    'transaction' in look ? look.transaction.uuid : [],
  )
  const nothing = waiting.length === 0 && happened.length === 0
  const more = (rows: readonly LookView[], belongs: (kind: LookKind) => boolean) => (
    <MoreLooks
      kinds={kinds.filter(({ kind }) => belongs(kind) && (chosen === null || kind === chosen))}
      shown={rows.map(({ kind }) => kind)}
      chosen={chosen}
      hrefOf={hrefOf}
    />
  )
  return (
    <section aria-labelledby="needs-a-look" className="mt-6 grid gap-3">
      <RememberList uuids={listed} />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="needs-a-look" className="font-heading text-base">
          Needs a look
        </h2>
        <ButtonLink size="sm" variant="ghost" href={hrefOf('muted')} scroll={false}>
          Muted
        </ButtonLink>
      </div>
      {preparing && (
        <Callout title="Transactions and events are not listed here yet.">
          This version makes indexes for it first, beside the traffic. Nothing is lost.
        </Callout>
      )}
      <LookFilter kinds={kinds} chosen={chosen} hrefOf={hrefOf} />
      {nothing && (
        <Card>
          <EmptyState icon={CircleCheck} title="Nothing needs a look">
            What is held, stuck or failed appears here, and what deliveries may lack, the oldest first.
          </EmptyState>
        </Card>
      )}
      <Rows
        title="Waiting, the longest first"
        looks={waiting}
        time="age"
        mute={mute}
        more={more(waiting, isWaiting)}
      />
      <Rows
        title={`Of the last ${happenedDays} days, the oldest first`}
        looks={happened}
        time="relative"
        mute={mute}
        more={more(happened, (kind) => !isWaiting(kind))}
      />
      {chosen === null && <UnknownTypes types={unknownTypes} />}
    </section>
  )
}

function Rows({
  title,
  looks,
  time,
  mute,
  more,
}: {
  readonly title: string
  readonly looks: readonly LookView[]
  readonly time: 'age' | 'relative'
  readonly mute: Action<{ readonly about: string }> | null
  readonly more: React.ReactNode
}) {
  if (looks.length === 0) return null
  return (
    <Card>
      <h3 className="border-b px-3.5 py-2 font-label text-muted text-xs">{title}</h3>
      <ul>
        {looks.map((look) => (
          <LookRow key={`${look.kind} ${look.about}`} look={look} time={time} mute={mute} />
        ))}
      </ul>
      {more}
    </Card>
  )
}
