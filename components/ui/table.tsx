import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

/**
 * A dense table. It scrolls sideways inside its card when the page is narrower than it: by the keyboard through what can be
 * pressed in it, or where nothing can, as a stop of Tab of its own with this name.
 */
export function Table({
  scrolled,
  className,
  ...rest
}: ComponentProps<'table'> & { readonly scrolled?: string }) {
  return (
    <div
      {...(scrolled === undefined ? {} : { role: 'region', 'aria-label': scrolled, tabIndex: 0 })}
      className="stacked:[&_td]:whitespace-normal overflow-x-auto"
    >
      <table className={clsx('w-full border-collapse text-table', className)} {...rest} />
    </div>
  )
}

/** The table of a list: as wide as its room and never wider, with a head that stays while its rows pass below it. */
export function ListTable({ className, ...rest }: ComponentProps<'table'>) {
  return <table className={clsx('list-table w-full border-collapse text-table', className)} {...rest} />
}

export function Th({ numeric, className, scope = 'col', ...rest }: ComponentProps<'th'> & Numeric) {
  return (
    <th
      scope={scope}
      className={clsx(
        'whitespace-nowrap border-b px-2 py-2 first:pl-3.5 last:pr-3.5 font-label text-muted text-xs',
        numeric ? 'text-right' : 'text-left',
        className,
      )}
      {...rest}
    />
  )
}

export function Td({ numeric, className, ...rest }: ComponentProps<'td'> & Numeric) {
  return (
    <td
      className={clsx(
        'h-[2.6875rem] whitespace-nowrap px-2 first:pl-3.5 last:pr-3.5',
        numeric && 'num text-right',
        className,
      )}
      {...rest}
    />
  )
}

export function Tr({ className, ...rest }: ComponentProps<'tr'>) {
  return <tr className={clsx('border-b last:border-b-0', className)} {...rest} />
}

interface Numeric {
  /** Digits, which line up at the right. */
  readonly numeric?: boolean
}
