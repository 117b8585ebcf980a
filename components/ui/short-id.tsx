import { clsx } from 'clsx'
import { shortId } from '#lib/words/labels/formats.ts'
import { CopyId } from './copy-button.tsx'

/** The id is shortened in its middle, is whole on hover and for screen readers, and is copied by one click. */
export function ShortId({
  id,
  whole = false,
  copy = true,
  className,
}: {
  readonly id: string
  /** `whole`: the id is not shortened, and may break onto a second line. */
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

/** The icon stays with the last letters, which move to another line with it. */
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
    // The id names its page, so the palette can copy it as well.
    <span {...(copy ? { 'data-commands': 'Copy id' } : {})} title={id} className={className}>
      <span className="mono break-all">{id.slice(0, -4)}</span>
      <span className="mono whitespace-nowrap">
        {id.slice(-4)}
        {copy && <CopyId id={id} />}
      </span>
    </span>
  )
}
