import { clsx } from 'clsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { filterFlagLabels } from '#lib/search/labels/filter-flag-labels.ts'
import { filterFlags } from '#lib/transactions/rules/transaction-filters.ts'
import { amountHint, filterGrid } from './filter-grid.ts'

/** Stands in for the filters while they load: the same fields in the same grid, so that the list moves once, at the press. */
export function MoreFiltersSkeleton() {
  return (
    <div aria-hidden className={filterGrid.all}>
      <FieldSkeleton />
      <FieldSkeleton />
      <FieldSkeleton />
      <FieldSkeleton />
      <div className={filterGrid.ranges}>
        <FieldSkeleton hint={amountHint} />
        <FieldSkeleton />
        <FieldSkeleton hint="UTC" />
        <FieldSkeleton />
        <Skeleton className={clsx(filterGrid.whole, 'h-7 w-40 pointer-coarse:h-10')} />
      </div>
      <div className={filterGrid.person}>
        <FieldSkeleton />
      </div>
      <div className={filterGrid.whole}>
        <Skeleton className="mb-1.5 h-lh w-20 text-sm" />
        <div className="invisible flex flex-wrap gap-x-5 gap-y-2 text-sm">
          {filterFlags.map((flag) => (
            <span key={flag} className="pl-6.5 font-label pointer-coarse:py-2.5">
              {filterFlagLabels[flag]}
            </span>
          ))}
        </div>
      </div>
    </div>
  )
}

const FieldSkeleton = ({ hint }: { readonly hint?: string }) => (
  <div>
    <Skeleton className="mb-1.5 h-lh w-20 text-sm" />
    <Skeleton className="h-10" />
    {hint && <p className="invisible mt-1.5 text-sm">{hint}</p>}
  </div>
)
