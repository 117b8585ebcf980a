import { clsx } from 'clsx'

/** The merchant's mark and name, as their customers know them. Without an image the name's first letter stands for it. */
export function MerchantMark({
  name,
  mark,
  whole = false,
  className,
}: {
  readonly name: string
  /** An image as a data URL. */
  readonly mark: string | null
  /** A long name goes on in another line instead of ending in an ellipsis. */
  readonly whole?: boolean
  readonly className?: string
}) {
  return (
    <p className={clsx('flex min-w-0 items-center gap-2.5 font-brand tracking-[-0.01em]', className)}>
      {mark ? (
        // biome-ignore lint/performance/noImgElement: it is a small data URL, and next/image adds an inline style
        <img src={mark} alt="" className="size-6.5 shrink-0 rounded-control object-contain" />
      ) : (
        <span
          className="grid size-6.5 shrink-0 place-items-center rounded-control bg-ink font-brand text-on-ink text-sm"
          aria-hidden
        >
          {name.slice(0, 1).toUpperCase()}
        </span>
      )}
      <span title={name} className={whole ? 'min-w-0 text-balance break-words' : 'truncate'}>
        {name}
      </span>
    </p>
  )
}
