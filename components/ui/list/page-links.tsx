import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { ButtonLink } from '../link.tsx'

/**
 * The foot of a list that the server draws leads to its newest rows and to older ones. Nothing is drawn when the
 * page shows all.
 */
export function PageLinks({
  name = 'Pages',
  newest,
  older,
  words: [toNewest, toOlder] = ['Newest', 'Older'],
  scroll = true,
}: {
  readonly name?: string
  /** `newest` is null on the first page, and `older` on the last one. */
  readonly newest: string | null
  readonly older: string | null
  readonly words?: readonly [newest: string, older: string]
  /** `scroll` is false for a list inside a page, which stays where it is. */
  readonly scroll?: boolean
}) {
  if (newest === null && older === null) return null
  return (
    <nav aria-label={name} className="flex flex-wrap justify-end gap-1.5 border-t px-3 py-2 print:hidden">
      {newest !== null && (
        <ButtonLink size="sm" href={newest} scroll={scroll}>
          {toNewest}
        </ButtonLink>
      )}
      {older !== null && (
        <ButtonLink size="sm" href={older} scroll={scroll}>
          {toOlder}
        </ButtonLink>
      )}
    </nav>
  )
}

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
