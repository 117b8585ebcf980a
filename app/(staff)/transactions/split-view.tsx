'use client'

import { useSelectedLayoutSegment } from 'next/navigation'
import { type ComponentProps, type ReactNode, Suspense } from 'react'
import { loadLater } from '#components/ui/browser/loaded-later.ts'
import { useWide } from '#components/ui/browser/use-media.tsx'
import type { ListBeside as Beside } from './list-beside.tsx'

/** Only wide screens fetch the list. */
const { Later: ListBeside } = loadLater(async () => (await import('./list-beside.tsx')).ListBeside)

/** Wide screens show the list at the left of the transaction that it opened. Other screens show one of the two. */
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
            <Suspense>
              <ListBeside {...list} />
            </Suspense>
          )}
        </section>
      )}
      {/* The element is another one than the list's, which would be seen to move aside. */}
      <div key={open ? 'opened' : 'list'} className="@container/main min-w-0">
        {children}
      </div>
    </div>
  )
}
