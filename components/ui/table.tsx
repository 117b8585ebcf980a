import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

/**
 * The table is dense and scrolls sideways inside its card when the page is too narrow. The keyboard reaches it
 * through its controls; a table without controls is a Tab stop with this name.
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

/** The table of a list is never wider than its place. Its head stays visible while the rows scroll below it. */
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
  /** `numeric` is for digits, which line up at the right. */
  readonly numeric?: boolean
}
