import { clsx } from 'clsx'
import { shortId } from '#lib/words/labels/formats.ts'
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
  if (whole) return <WholeId id={id} copy={copy} className={className} />
  return (
    <span className={clsx('inline-flex max-w-full items-center gap-0.5', className)}>
      <span className="mono min-w-0 truncate" title={id}>
        {shortId(id)}
      </span>
      {copy && <CopyId id={id} />}
    </span>
  )
}

/** The icon stays with the last letters, which go to another line with it. */
function WholeId({
  id,
  copy,
  className,
}: {
  readonly id: string
  readonly copy: boolean
  readonly className: string | undefined
}) {
  return (
    // It names its page, where the palette copies it as well.
    <span {...(copy ? { 'data-commands': 'Copy id' } : {})} title={id} className={className}>
      <span className="mono break-all">{id.slice(0, -4)}</span>
      <span className="mono whitespace-nowrap">
        {id.slice(-4)}
        {copy && <CopyId id={id} />}
      </span>
    </span>
  )
}
