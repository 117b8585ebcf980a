import { ArrowUp } from 'lucide-react'

/**
 * The button says how many new rows wait above a list that is being read, and shows them. Its room above the list is
 * kept, so that nothing moves when it appears. It stays visible while the list scrolls, below the head.
 */
export function NewRows({
  count,
  hasMore = false,
  what = 'rows',
  onShow,
}: {
  readonly count: number
  /** `hasMore`: there are more than were counted. */
  readonly hasMore?: boolean | undefined
  /** `what` names the rows for screen readers. */
  readonly what?: string
  readonly onShow: () => void
}) {
  return (
    <div className="pointer-events-none sticky top-[calc(var(--above-list,3.375rem)+2.5rem)] z-25 -mt-3 flex h-7 items-center justify-center">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="num touch-target pointer-events-auto relative inline-flex min-h-6 shrink-0 items-center gap-1 rounded-full bg-ink px-3 font-label text-on-ink text-xs shadow-float hover:bg-ink-hover"
        >
          <ArrowUp className="size-3.5" aria-hidden />
          Show {count}
          {hasMore && '+'} new
        </button>
      )}
      {/* The announcement has no number, so that a screen reader says it once and not for each row. */}
      <span role="status" className="sr-only">
        {count > 0 && `New ${what} above the list`}
      </span>
    </div>
  )
}
