import { clsx } from 'clsx'

/** The merchant's mark and name, as their customers know them. */
export function MerchantMark({ name, className }: { readonly name: string; readonly className?: string }) {
  return (
    <p className={clsx('flex min-w-0 items-center gap-2.5 font-brand tracking-[-0.01em]', className)}>
      <span
        className="grid size-[26px] shrink-0 place-items-center rounded-control bg-ink font-brand text-on-ink text-sm"
        aria-hidden
      >
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className="truncate">{name}</span>
    </p>
  )
}
