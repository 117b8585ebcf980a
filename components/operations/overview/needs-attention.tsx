import { CircleCheck } from 'lucide-react'
import { RememberList } from '#components/ui/browser/remember-list.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ButtonLink, Link } from '#components/ui/link.tsx'
import { Segmented } from '#components/ui/segmented.tsx'
import { Time } from '#components/ui/time.tsx'
import { attentionLabels } from '#lib/operations/labels/attention-labels.ts'
import type { AttentionItem } from '#lib/operations/overview/attention-items.ts'
import type { UnknownType } from '#lib/operations/overview/list-attention.ts'
import type { AttentionItems } from '#lib/operations/overview/read-attention.ts'
import { type AttentionKind, happenedDays, isWaiting } from '#lib/operations/rules/attention-kinds.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { AttentionRow } from './attention-row.tsx'

/** The overview lists what needs attention: first what waits, the longest first, and then what happened lately. */
export function NeedsAttention({
  items,
  chosen,
  hrefOf,
  snooze,
}: {
  readonly items: AttentionItems
  readonly chosen: AttentionKind | null
  readonly hrefOf: AttentionAddress
  readonly snooze: Action<{ readonly about: string }> | null
}) {
  const { kinds, waiting, happened, unknownTypes } = items
  const listed = [...waiting, ...happened].flatMap((item) =>
    'transaction' in item ? item.transaction.uuid : [],
  )
  const nothing = waiting.length === 0 && happened.length === 0
  const more = (rows: readonly AttentionItem[], belongs: (kind: AttentionKind) => boolean) => (
    <MoreAttentionItems
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
          Needs attention
        </h2>
        <ButtonLink size="sm" variant="ghost" href={hrefOf('muted')} scroll={false}>
          Snoozed
        </ButtonLink>
      </div>
      <AttentionFilter kinds={kinds} chosen={chosen} hrefOf={hrefOf} />
      {nothing && (
        <Card>
          {chosen !== null && kinds.length > 0 ? (
            <EmptyState
              icon={CircleCheck}
              title={`Nothing under “${attentionLabels[chosen].many}” needs attention now`}
              action={
                <ButtonLink href={hrefOf(null)} scroll={false}>
                  Everything
                </ButtonLink>
              }
            />
          ) : (
            <EmptyState icon={CircleCheck} title="Nothing needs attention">
              Held, stuck and failed transactions and missed deliveries appear here.
            </EmptyState>
          )}
        </Card>
      )}
      <Rows
        title="Waiting (longest first)"
        items={waiting}
        time="age"
        snooze={snooze}
        more={more(waiting, isWaiting)}
      />
      <Rows
        title={`Last ${happenedDays} days (oldest first)`}
        items={happened}
        time="relative"
        snooze={snooze}
        more={more(happened, (kind) => !isWaiting(kind))}
      />
      {chosen === null && <UnknownTypes types={unknownTypes} />}
    </section>
  )
}

function Rows({
  title,
  items,
  time,
  snooze,
  more,
}: {
  readonly title: string
  readonly items: readonly AttentionItem[]
  readonly time: 'age' | 'relative'
  readonly snooze: Action<{ readonly about: string }> | null
  readonly more: React.ReactNode
}) {
  if (items.length === 0) return null
  return (
    <Card>
      <h3 className="border-b px-3.5 py-2 font-label text-muted text-xs">{title}</h3>
      <ul>
        {items.map((item) => (
          <AttentionRow key={`${item.kind} ${item.about}`} item={item} time={time} snooze={snooze} />
        ))}
      </ul>
      {more}
    </Card>
  )
}

/**
 * The text says how many items of these kinds are missing from the rows, and links to them. Nothing is shown when
 * all are there.
 */
export function MoreAttentionItems({
  kinds,
  shown,
  chosen,
  hrefOf,
}: {
  readonly kinds: AttentionItems['kinds']
  /** Each shown row has its kind here. */
  readonly shown: readonly AttentionKind[]
  readonly chosen: AttentionKind | null
  readonly hrefOf: AttentionAddress
}) {
  const hidden = kinds.flatMap(({ kind, total }) => {
    const count = total.count - shown.filter((one) => one === kind).length
    return count > 0 ? [{ kind, count, exact: total.exact }] : []
  })
  if (hidden.length === 0) return null
  const count = hidden.reduce((sum, one) => sum + one.count, 0)
  const exact = hidden.every((one) => one.exact)
  return (
    <p className="border-t px-3.5 py-2.5 text-muted text-sm">
      {countWords(count, exact)} more
      {chosen !== null && listOf[chosen] === null && ', shown when these are done or snoozed'}
      {hidden.map((one) => {
        const href = chosen === null ? hrefOf(one.kind) : listOf[one.kind]
        return (
          href && (
            <span key={one.kind}>
              {' · '}
              <Link href={href} scroll={chosen !== null} className="underline underline-offset-2">
                {attentionLabels[one.kind].many} ({countWords(one.count, one.exact)})
              </Link>
            </span>
          )
        )
      })}
    </p>
  )
}

const countWords = (count: number, exact: boolean) => `${count.toLocaleString('en')}${exact ? '' : '+'}`

/** Each kind has a list with all its items; null when there is none. */
const listOf = {
  held: '/transactions?step=ON_HOLD',
  stuck: '/transactions?flags=stuck',
  gap: '/gaps?state=open',
  endpoint: '/endpoints',
  failed: '/transactions?step=FAILED',
  'limit-breached': '/transactions?step=LIMIT_BREACHED',
  conflict: '/transactions?flags=conflict',
  'name-mismatch': null,
  'duplicate-user': null,
  aml: null,
  'failed-kyc': null,
  'failed-account': '/accounts?look=1',
  'failed-company': '/companies?look=1',
  'bounced-code': null,
} as const satisfies Record<AttentionKind, string | null>

/** The address is that of the overview with one kind, with all, or with snoozed items. */
export type AttentionAddress = (item: AttentionKind | 'muted' | null) => string

/** The filter shows the number of each kind. The choice is in the address. */
function AttentionFilter({
  kinds,
  chosen,
  hrefOf,
}: {
  readonly kinds: AttentionItems['kinds']
  readonly chosen: AttentionKind | null
  readonly hrefOf: AttentionAddress
}) {
  if (kinds.length === 0 && chosen === null) return null
  return (
    <Segmented
      name="What needs attention"
      segments={[
        { key: 'everything', label: 'Everything', href: hrefOf(null), chosen: chosen === null },
        ...kinds.map(({ kind, total }) => ({
          key: kind,
          label: attentionLabels[kind].many,
          count: `${total.count.toLocaleString('en')}${total.exact ? '' : '+'}`,
          href: hrefOf(kind),
          chosen: chosen === kind,
        })),
      ]}
    />
  )
}

/** Events of unknown types are stored and shown as they came. */
function UnknownTypes({ types }: { readonly types: readonly UnknownType[] }) {
  if (types.length === 0) return null
  return (
    <Callout title={`Unknown event types in the last ${happenedDays} days`}>
      They are stored, and shown exactly as received.
      <ul className="mt-1">
        {types.map(({ type, total, latestAt }) => (
          <li key={type ?? ''} className="break-words">
            <span className="num">
              {total.count.toLocaleString('en')}
              {!total.exact && '+'}
            </span>{' '}
            {type === null ? (
              'no type, or unreadable'
            ) : (
              <Link
                href={`/timeline?type=${encodeURIComponent(type)}`}
                className="mono wrap-anywhere underline underline-offset-2"
              >
                {type}
              </Link>
            )}
            , the last <Time at={latestAt} />
          </li>
        ))}
      </ul>
    </Callout>
  )
}
