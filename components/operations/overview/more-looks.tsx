import { Link } from '#components/ui/link.tsx'
import { lookLabels } from '#lib/operations/labels/look-labels.ts'
import type { Looks } from '#lib/operations/overview/read-looks.ts'
import type { LookKind } from '#lib/operations/rules/look-kinds.ts'
import type { LookAddress } from './look-filter.tsx'

/** How many of these kinds are not among the rows that are shown, and where to find them; nothing when all are shown. */
export function MoreLooks({
  kinds,
  shown,
  chosen,
  hrefOf,
}: {
  readonly kinds: Looks['kinds']
  /** The kind of each row that is shown. */
  readonly shown: readonly LookKind[]
  readonly chosen: LookKind | null
  readonly hrefOf: LookAddress
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
      {chosen !== null && listOf[chosen] === null && ', which move up as these are done or muted'}
      {hidden.map((one) => {
        const href = chosen === null ? hrefOf(one.kind) : listOf[one.kind]
        return (
          href && (
            <span key={one.kind}>
              {' · '}
              <Link href={href} scroll={chosen !== null} className="underline underline-offset-2">
                {lookLabels[one.kind].many} ({countWords(one.count, one.exact)})
              </Link>
            </span>
          )
        )
      })}
    </p>
  )
}

const countWords = (count: number, exact: boolean) => `${count.toLocaleString('en')}${exact ? '' : '+'}`

/** The list that has all of a kind; null where there is none. */
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
} as const satisfies Record<LookKind, string | null>
