import { clsx } from 'clsx'
import { shortId } from '#lib/labels/short-id.ts'
import { CopyId } from './copy-button.tsx'

/** An id, shortened in its middle, whole on hover and for screen readers, copied by one click. */
export function ShortId({
  id,
  whole = false,
  copy = true,
  className,
}: {
  readonly id: string
  /** Not shortened; it may break onto a second line. */
  readonly whole?: boolean
  readonly copy?: boolean
  readonly className?: string
}) {
  return (
    <span
      // Whole it names its page, where the palette copies it as well.
      {...(whole && copy ? { 'data-commands': 'Copy id' } : {})}
      className={clsx('inline-flex max-w-full items-center gap-0.5', className)}
    >
      <span className={clsx('mono min-w-0', whole ? 'break-all' : 'truncate')} title={id}>
        {whole ? id : shortId(id)}
      </span>
      {copy && <CopyId id={id} />}
    </span>
  )
}
