import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { ListTable, Td, Th, Tr } from '../table.tsx'

/** A column of a list has a heading and, for each row, a cell. */
export interface ListColumn<Row> {
  readonly name: string
  readonly of: (row: Row) => ReactNode
  /** `className` is for the heading and the cells, `head` and `cell` for one of them. */
  readonly className?: string
  readonly head?: string
  readonly cell?: string
  /** `numeric` is for digits, which line up at the right. */
  readonly numeric?: boolean
  /** `title` is the whole text of a cell that may be cut off. */
  readonly title?: (row: Row) => string | null | undefined
}

/** The rows are a table. The first column of a row holds its link. A row that no longer matches says so. */
export function ListRows<Row>({
  columns,
  rows,
  idOf,
  noLongerMatching,
}: {
  readonly columns: readonly ListColumn<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly noLongerMatching?: ReadonlySet<string>
}) {
  return (
    <ListTable>
      <thead>
        <tr>
          {columns.map(({ name, className, head, numeric = false }) => (
            <Th key={name} numeric={numeric} className={clsx(className, head)}>
              {name}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const id = idOf(row)
          const isGone = noLongerMatching?.has(id)
          return (
            <Tr
              key={id}
              className={clsx(
                'relative hover:bg-hover has-[a:focus-visible]:bg-hover',
                isGone && '[&_td]:text-faint',
              )}
            >
              {columns.map(({ name, of, className, cell, numeric = false, title }, at) => (
                <Td
                  key={name}
                  numeric={numeric}
                  title={title?.(row) ?? undefined}
                  className={clsx(className, cell)}
                >
                  {of(row)}
                  {isGone && at === 0 && <span className="ml-2 text-xs">moved on</span>}
                </Td>
              ))}
            </Tr>
          )
        })}
      </tbody>
    </ListTable>
  )
}

/** The cell has no value. */
export const NoValue = ({ className }: { readonly className?: string | undefined }) => (
  <span className={clsx('text-faint', className)}>–</span>
)
