import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'

/** The foot of a list shows the place, and leads to newer and older rows when there is more than one page. */
export function Pagination({
  children,
  onNewer,
  onOlder,
  pending = false,
}: {
  /** `children` say the place: "About 41,200". */
  readonly children?: ReactNode
  /** `onNewer` is null on the first page. */
  readonly onNewer: (() => void) | null
  /** `onOlder` is null on the last page. */
  readonly onOlder: (() => void) | null
  readonly pending?: boolean
}) {
  return (
    <nav
      aria-label="Pages"
      className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 min-h-11.5 border-t px-3 py-2 text-muted text-sm"
    >
      <span>{children}</span>
      {(onNewer || onOlder || pending) && (
        <span className="ml-auto flex flex-wrap gap-1.5">
          <Button size="sm" disabled={!onNewer || pending} onClick={() => onNewer?.()}>
            <ChevronLeft aria-hidden />
            Newer
          </Button>
          <Button size="sm" disabled={!onOlder || pending} onClick={() => onOlder?.()}>
            Older
            <ChevronRight aria-hidden />
          </Button>
        </span>
      )}
    </nav>
  )
}
