'use client'

import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight, type LucideIcon } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useEffect, useSyncExternalStore } from 'react'
import { neighboursIn, storedList, subscribeToLastList } from '#components/ui/browser/remember-list.tsx'
import { isTyping } from '#components/ui/browser/row-keys.tsx'
import { useWide } from '#components/ui/browser/use-media.tsx'
import { buttonClass } from '#components/ui/button.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Neighbours } from '#lib/transactions/get-transaction.ts'
import { useEscapeToList } from '../use-escape-to-list.ts'

/** The neighbours are those in the list that the reader came from, or in the list of all transactions. */
export function ListNeighbours({ uuid, inAll }: { readonly uuid: string; readonly inAll: Neighbours }) {
  const stored = useSyncExternalStore(subscribeToLastList, storedList, () => null)
  // The address beside the list names that list.
  const query = useSearchParams().toString()
  const found = neighboursIn(stored, uuid)
  const [previous, next] = found ? [found.previous, found.next] : [inAll.newer, inAll.older]
  const list = found && query ? `?${query}` : ''
  const addressOf = (to: string | null) => to && `/transactions/${encodeURIComponent(to)}${list}`
  const [before, after]: readonly [Way, Way] = found
    ? [
        previous || !found.pages.newer
          ? { href: addressOf(previous), label: `Previous in the list, this is ${found.place}` }
          : { href: found.pages.newer, label: 'The first of this page: the page before it in the list' },
        next || !found.pages.older
          ? { href: addressOf(next), label: `Next in the list, this is ${found.place}` }
          : { href: found.pages.older, label: 'The last of this page: the next page of the list' },
      ]
    : [
        { href: addressOf(previous), label: 'The transaction that started after this one' },
        { href: addressOf(next), label: 'The transaction that started before this one' },
      ]
  return (
    <nav aria-label="The list" className="order-first flex gap-1 max-lg:order-last">
      <Step icon={ChevronLeft} opensWith="k" {...before} />
      <Step icon={ChevronRight} opensWith="j" {...after} />
    </nav>
  )
}

/** `href` is null when the way leads nowhere. */
interface Way {
  readonly href: string | null
  readonly label: string
}

function Step({
  href,
  icon: Icon,
  label,
  opensWith,
}: Way & {
  readonly icon: LucideIcon
  /** `OpenedKeys` handles this key. */
  readonly opensWith: 'j' | 'k'
}) {
  const classes = buttonClass({ variant: 'ghost', square: true })
  if (href === null)
    return (
      <span aria-hidden className={clsx(classes, 'opacity-40')}>
        <Icon />
      </span>
    )
  return (
    <Link
      href={href}
      aria-label={label}
      aria-keyshortcuts={opensWith}
      title={`${label} (${opensWith})`}
      className={classes}
    >
      <Icon aria-hidden />
    </Link>
  )
}

/**
 * `j` and `k` open the transactions after and before the open one when no list is beside it, and Escape leads to
 * the list.
 */
export function OpenedKeys() {
  const wide = useWide()
  useEscapeToList(wide ? null : '/transactions')
  useEffect(() => {
    if (wide) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'j' && event.key !== 'k') return
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
      document.querySelector<HTMLElement>(`main [aria-keyshortcuts=${event.key}]`)?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [wide])
  return null
}
