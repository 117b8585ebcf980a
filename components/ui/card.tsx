import { clsx } from 'clsx'
import type { ComponentProps, ReactNode } from 'react'

/** The card is a surface on the page. Without `title` it has no padding, so that tables can fill it. */
export function Card({
  title,
  aside,
  className,
  children,
  ...rest
}: Omit<ComponentProps<'section'>, 'title'> & { readonly title?: ReactNode; readonly aside?: ReactNode }) {
  return (
    <section
      className={clsx(
        'min-w-0 rounded-xl border bg-surface aria-busy:busy-line',
        title ? 'px-gutter py-4 sm:px-5' : 'overflow-clip',
        className,
      )}
      {...rest}
    >
      {title && (
        <header className="mb-3 flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
          <h2 className="font-title text-muted text-sm">{title}</h2>
          {aside}
        </header>
      )}
      {children}
    </section>
  )
}

/**
 * Names and values are in two columns, or the values are below their names when text is large. A long name breaks
 * and leaves the value its room. A row has the same height for words, an id or a pill.
 */
export function Facts({
  children,
  className,
}: {
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <div className={clsx('@container', className)}>
      <dl className="grid gap-x-4 gap-y-0.5 text-table leading-6 @min-[15rem]:grid-cols-[minmax(0,max-content)_minmax(min(8.5rem,52%),1fr)] @max-[15rem]:[&>dd]:mb-1.5">
        {children}
      </dl>
    </div>
  )
}

/** An element marked `data-wide` in a value, such as an open form, takes the whole row below the name. */
export function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <>
      <dt className="min-h-7 min-w-16 max-w-60 break-words py-1 text-muted leading-5">{name}</dt>
      <dd className="min-h-7 min-w-0 break-words py-0.5 [&>:has(button)]:align-top @min-[15rem]:has-data-wide:col-span-full">
        {children}
      </dd>
    </>
  )
}
