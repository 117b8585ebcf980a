'use client'

import { Kbd } from '#components/ui/kbd.tsx'
import { Link } from '#components/ui/link.tsx'
import { useListAddress } from './list-address.ts'
import { useEscapeToList } from './use-escape-to-list.ts'

/** Closes what is open beside its list, by a click or by Escape. */
export function BackToList() {
  const address = useListAddress()
  useEscapeToList(address)
  return (
    <p className="flex items-center justify-between text-sm">
      <Link href={address} className="rounded-sm font-title text-muted hover:text-text">
        Transactions
      </Link>
      <span className="flex items-center gap-1 text-faint text-xs">
        <Kbd>j</Kbd> <Kbd>k</Kbd> open the next, <Kbd>Esc</Kbd> closes
      </span>
    </p>
  )
}
