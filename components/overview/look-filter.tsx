import { clsx } from 'clsx'
import Link from 'next/link'
import type { LookKind } from '#lib/domain/overview/look-kinds.ts'
import type { Looks } from '#lib/overview/read-looks.ts'
import { lookLabels } from './look-labels.ts'

/** The address of the overview with one kind alone, with all, or with what is muted. */
export type LookAddress = (look: LookKind | 'muted' | null) => string

/** How many there are of each kind; the choice stands in the address. */
export function LookFilter({
  kinds,
  chosen,
  hrefOf,
}: {
  readonly kinds: Looks['kinds']
  readonly chosen: LookKind | null
  readonly hrefOf: LookAddress
}) {
  if (kinds.length === 0 && chosen === null) return null
  return (
    <nav aria-label="What needs a look" className="flex flex-wrap gap-1.5">
      <Choice href={hrefOf(null)} chosen={chosen === null}>
        Everything
      </Choice>
      {kinds.map(({ kind, total }) => (
        <Choice key={kind} href={hrefOf(kind)} chosen={chosen === kind}>
          {lookLabels[kind].many}{' '}
          <span className="num text-muted">
            {total.count.toLocaleString('en')}
            {!total.exact && '+'}
          </span>
        </Choice>
      ))}
    </nav>
  )
}

function Choice({
  href,
  chosen,
  children,
}: {
  readonly href: string
  readonly chosen: boolean
  readonly children: React.ReactNode
}) {
  return (
    <Link
      href={href}
      scroll={false}
      aria-current={chosen ? 'true' : undefined}
      className={clsx(
        'inline-flex min-h-[30px] items-center gap-1.5 rounded-control border px-2.5 text-sm transition-colors hover:bg-hover',
        chosen ? 'border-line-strong bg-hover font-strong text-text' : 'border-line text-muted',
      )}
    >
      {children}
    </Link>
  )
}
