import 'server-only'
import type { Column } from './column.ts'

/** A table: its columns, each under the name of its field, and the fields that identify a row. */
export interface TableDefinition<Columns extends AnyColumns = AnyColumns> {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: Columns
  readonly list: readonly (readonly [field: string, AnyColumn])[]
}

type AnyColumn = Column<string, never, never, unknown>
type AnyColumns = Readonly<Record<string, AnyColumn>>
type ColumnsOf<T extends TableDefinition> = T['columns']

/** A row as a query answers it, by the names of the columns. */
export type RowOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T> as ColumnsOf<T>[Field]['name']]: Parameters<
    ColumnsOf<T>[Field]['show']
  >[0]
}

/** A row to be written, by the names of the columns, as JSON carries it. */
export type NewRowOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T> as ColumnsOf<T>[Field]['name']]: ReturnType<
    ColumnsOf<T>[Field]['write']
  >
}

/** What the domain gives for a row, by field. */
export type GivenOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T>]: Parameters<ColumnsOf<T>[Field]['write']>[0]
}

/** What a page can show of a row, by field. */
export type ViewOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T>]: ReturnType<ColumnsOf<T>[Field]['show']>
}

export function defineTable<const Columns extends AnyColumns>(
  name: string,
  key: readonly (keyof Columns & string)[],
  columns: Columns,
): TableDefinition<Columns> {
  return { name, key, columns, list: Object.entries(columns) }
}

/** The same table without some of its columns. */
export function without<Columns extends AnyColumns, Field extends keyof Columns & string>(
  { name, key, list }: TableDefinition<Columns>,
  ...fields: readonly Field[]
): TableDefinition<Omit<Columns, Field>> {
  const left = list.filter(([field]) => !fields.some((one) => one === field))
  return partOf(name, key, left)
}

/** The same table with only some of its columns. */
export function only<Columns extends AnyColumns, Field extends keyof Columns & string>(
  { name, key, list }: TableDefinition<Columns>,
  ...fields: readonly Field[]
): TableDefinition<Pick<Columns, Field>> {
  const left = list.filter(([field]) => fields.some((one) => one === field))
  return partOf(name, key, left)
}

const partOf = <Columns extends AnyColumns>(
  name: string,
  key: readonly string[],
  list: TableDefinition['list'],
): TableDefinition<Columns> => ({ name, key, list, columns: Object.fromEntries(list) as Columns })

/** For a SELECT. */
export const columnsOf = ({ columns }: TableDefinition): string =>
  Object.values(columns)
    .map(({ name }) => name)
    .join(', ')

/** The row that holds what the domain gives, its columns in the order of the table. */
export function toNewRow<T extends TableDefinition>({ list }: T, given: GivenOf<T>): NewRowOf<T> {
  const values: Readonly<Record<string, unknown>> = given
  const row: Record<string, unknown> = {}
  for (const [field, { name, write }] of list) row[name] = write(values[field] as never)
  return row as NewRowOf<T>
}

/** The row as `toNewRow` would have made it. */
export function toWrittenRow<T extends TableDefinition>({ columns }: T, row: RowOf<T>): NewRowOf<T> {
  const values: Readonly<Record<string, unknown>> = row
  const entries = Object.values(columns).map(({ name, show }) => [name, show(values[name] as never)])
  return Object.fromEntries(entries)
}

/** What a page can show of a row. */
export function toView<T extends TableDefinition>({ columns }: T, row: RowOf<T>): ViewOf<T> {
  const values: Readonly<Record<string, unknown>> = row
  const entries = Object.entries(columns).map(([field, { name, show }]) => [
    field,
    show(values[name] as never),
  ])
  return Object.fromEntries(entries)
}
