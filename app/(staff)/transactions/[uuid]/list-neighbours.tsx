'use client'

import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useSyncExternalStore } from 'react'
import { buttonClass } from '#components/ui/button-class.ts'
import { neighboursIn, storedList, subscribeToLastList } from '../last-list.ts'

/** The transactions before and after this one in the list that one came from. Its room is kept, so that nothing moves. */
export function ListNeighbours({ uuid }: { readonly uuid: string }) {
  const stored = useSyncExternalStore(subscribeToLastList, storedList, () => null)
  const found = neighboursIn(stored, uuid)
  return (
    <nav
      aria-label="The list"
      className={clsx('order-first flex gap-1 max-lg:order-last', !found && 'invisible')}
    >
      <Step
        to={found?.previous ?? null}
        icon={ChevronLeft}
        label={`Previous in the list, this is ${found?.place}`}
      />
      <Step
        to={found?.next ?? null}
        icon={ChevronRight}
        label={`Next in the list, this is ${found?.place}`}
      />
    </nav>
  )
}

function Step({
  to,
  icon: Icon,
  label,
}: {
  readonly to: string | null
  readonly icon: LucideIcon
  readonly label: string
}) {
  // Beside the list, the address says which list that is.
  const query = useSearchParams().toString()
  const look = buttonClass({ variant: 'ghost', square: true })
  if (to === null)
    return (
      <span aria-hidden className={clsx(look, 'opacity-40')}>
        <Icon />
      </span>
    )
  return (
    <Link
      href={`/transactions/${encodeURIComponent(to)}${query && `?${query}`}`}
      aria-label={label}
      title={label}
      className={look}
    >
      <Icon aria-hidden />
    </Link>
  )
}
