'use client'

import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useSyncExternalStore } from 'react'
import { neighboursIn, storedList, subscribeToLastList } from '#components/browser/last-list.ts'
import { buttonClass } from '#components/ui/button-class.ts'
import type { Neighbours } from '#lib/transactions/read-neighbours.ts'

/** The transactions before and after this one in the list that one came from, or in that of all. */
export function ListNeighbours({ uuid, inAll }: { readonly uuid: string; readonly inAll: Neighbours }) {
  const stored = useSyncExternalStore(subscribeToLastList, storedList, () => null)
  // Beside the list, the address says which list that is.
  const query = useSearchParams().toString()
  const found = neighboursIn(stored, uuid)
  const [previous, next] = found ? [found.previous, found.next] : [inAll.newer, inAll.older]
  const words = found
    ? [`Previous in the list, this is ${found.place}`, `Next in the list, this is ${found.place}`]
    : ['The transaction that started after this one', 'The transaction that started before this one']
  const addressOf = (to: string | null) =>
    to && `/transactions/${encodeURIComponent(to)}${found && query && `?${query}`}`
  return (
    <nav aria-label="The list" className="order-first flex gap-1 max-lg:order-last">
      <Step href={addressOf(previous)} icon={ChevronLeft} label={words[0]} />
      <Step href={addressOf(next)} icon={ChevronRight} label={words[1]} />
    </nav>
  )
}

function Step({
  href,
  icon: Icon,
  label,
}: {
  readonly href: string | null
  readonly icon: LucideIcon
  readonly label: string | undefined
}) {
  const look = buttonClass({ variant: 'ghost', square: true })
  if (href === null)
    return (
      <span aria-hidden className={clsx(look, 'opacity-40')}>
        <Icon />
      </span>
    )
  return (
    <Link href={href} aria-label={label} title={label} className={look}>
      <Icon aria-hidden />
    </Link>
  )
}
