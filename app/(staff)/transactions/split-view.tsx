'use client'

import Link from 'next/link'
import { useRouter, useSelectedLayoutSegment } from 'next/navigation'
import { type ComponentProps, type ReactNode, Suspense, useEffect } from 'react'
import { isTyping } from '#components/browser/is-typing.ts'
import { loadLater } from '#components/browser/load-later.ts'
import { useWide } from '#components/browser/use-wide.ts'
import { openPage } from '#components/form/open-page.ts'
import { Kbd } from '#components/ui/kbd.tsx'
import { useListAddress } from './list-address.ts'
import type { ListBeside as Beside } from './list-beside.tsx'

/** Fetched on wide screens alone. */
const { Later: ListBeside } = loadLater(async () => (await import('./list-beside.tsx')).ListBeside)

/** On wide screens the list stays at the left of the transaction that it opened. Elsewhere there is one of the two. */
export function SplitView({
  list,
  children,
}: {
  readonly list: ComponentProps<typeof Beside>
  readonly children: ReactNode
}) {
  const open = useSelectedLayoutSegment() !== null
  const wide = useWide()
  return (
    <div
      className={
        open
          ? 'min-[112.5rem]:grid min-[112.5rem]:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] min-[112.5rem]:gap-7'
          : undefined
      }
      data-split={open || undefined}
    >
      {open && (
        <section
          aria-label="The list"
          data-list-beside
          className="sticky top-13.5 -mt-6 -mr-3 hidden h-[calc(100dvh-3.375rem)] overflow-y-auto pt-6 pr-3 pb-6 [--above-list:0px] min-[112.5rem]:block"
        >
          {wide && (
            <>
              <BackToList />
              <Suspense>
                <ListBeside {...list} />
              </Suspense>
            </>
          )}
        </section>
      )}
      {/* Not the element that held the list, which would be seen to shift aside. */}
      <div key={open ? 'opened' : 'list'} className="@container/main min-w-0">
        {children}
      </div>
    </div>
  )
}

/** Closes what is open, by a click or by Escape. */
function BackToList() {
  const router = useRouter()
  const address = useListAddress()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return
      if (document.querySelector(':popover-open')) return
      if (addressBefore() === address) router.back()
      else openPage(address, () => router.push(address))
    }
    // After all that listens on the page: what is open in it closes first.
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [router, address])
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

/** The address before this one in the browser's history, where the browser says it. */
function addressBefore(): string | null {
  if (!('navigation' in window)) return null
  const { currentEntry } = window.navigation
  const before = window.navigation.entries()[(currentEntry?.index ?? 0) - 1]
  if (!before?.url) return null
  const { pathname, search } = new URL(before.url)
  return pathname + search
}
