import 'server-only'

/**
 * A column has a name, a type, and the forms of its values. `Row` comes from a query, `Given` from the rules;
 * `Json` goes to the database as JSON and leaves the server in a view.
 */
interface Column<Name extends string, Row, Given = Row, Json = Row> {
  readonly name: Name
  /** PostgreSQL calls the type by this name. */
  readonly type: string
  readonly nullable: boolean
  readonly write: (given: Given) => Json
  readonly show: (row: Row) => Json
}

/** The same column may be null. */
export function orNull<Name extends string, Row, Given, Json>(
  column: Column<Name, Row, Given, Json>,
): Column<Name, Row | null, Given | null, Json | null> {
  const { write, show } = column
  return {
    ...column,
    nullable: true,
    write: (given) => (given === null ? null : write(given)),
    show: (row) => (row === null ? null : show(row)),
  }
}

const plain =
  <Value>(type: string) =>
  <const Name extends string>(name: Name): Column<Name, Value> => ({
    name,
    type,
    nullable: false,
    write: (given) => given,
    show: (row) => row,
  })

export const uuid = plain<string>('uuid')
export const int = plain<number>('int')
export const smallint = plain<number>('smallint')

/** The digits stay exact. */
export const numeric = plain<string>('numeric')

/** The texts are from a closed set, such as the flags of an event. */
export const textOf = <Value extends string>() => plain<Value>('text')
export const text = textOf<string>()
export const textsOf = <Value extends string>() => plain<readonly Value[]>('text[]')
export const jsonOf = <Value>() => plain<Value>('jsonb')

export const bigint = <const Name extends string>(name: Name): Column<Name, bigint, bigint, string> => ({
  name,
  type: 'bigint',
  nullable: false,
  write: String,
  show: String,
})

/** Bytes are hex in the rules; the JSON has them as PostgreSQL writes them. */
export const hex = <const Name extends string>(name: Name): Column<Name, Buffer, string, string> => ({
  name,
  type: 'bytea',
  nullable: false,
  write: (given) => `\\x${given}`,
  show: (row) => `\\x${row.toString('hex')}`,
})

/** A time is ms since 1970 in the rules, and ISO 8601 in JSON. */
export const time = <const Name extends string>(name: Name): Column<Name, Date, number, string> => ({
  name,
  type: 'timestamptz',
  nullable: false,
  write: isoTime,
  show: (row) => row.toISOString(),
})

/** The last formatted time is cached, because rows of one delivery repeat it. */
let last = { ms: 0, text: new Date(0).toISOString() }

export function isoTime(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}

/** A table has columns, each under the name of its field, and fields that identify a row. */
export interface TableDefinition<Columns extends AnyColumns = AnyColumns> {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: Columns
  readonly list: readonly (readonly [field: string, AnyColumn])[]
}

type AnyColumn = Column<string, never, never, unknown>
type AnyColumns = Readonly<Record<string, AnyColumn>>
type ColumnsOf<T extends TableDefinition> = T['columns']

/** A query returns a row by the names of the columns. */
export type RowOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T> as ColumnsOf<T>[Field]['name']]: Parameters<
    ColumnsOf<T>[Field]['show']
  >[0]
}

/** A row to be written has the names of the columns, and values as JSON carries them. */
export type NewRowOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T> as ColumnsOf<T>[Field]['name']]: ReturnType<
    ColumnsOf<T>[Field]['write']
  >
}

/** The rules give these values for a row, by field. */
export type GivenOf<T extends TableDefinition> = {
  readonly [Field in keyof ColumnsOf<T>]: Parameters<ColumnsOf<T>[Field]['write']>[0]
}

/** A page can show these values of a row, by field. */
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

/** The same table lacks some of its columns. */
export function without<Columns extends AnyColumns, Field extends keyof Columns & string>(
  { name, key, list }: TableDefinition<Columns>,
  ...fields: readonly Field[]
): TableDefinition<Omit<Columns, Field>> {
  const left = list.filter(([field]) => !fields.some((one) => one === field))
  return partOf(name, key, left)
}

/** The same table has only some of its columns. */
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

/** A SELECT lists these columns. */
export const columnsOf = ({ columns }: TableDefinition): string =>
  Object.values(columns)
    .map(({ name }) => name)
    .join(', ')

/** The row holds the given values, its columns in the order of the table. */
export function toNewRow<T extends TableDefinition>({ list }: T, given: GivenOf<T>): NewRowOf<T> {
  const values: Readonly<Record<string, unknown>> = given
  const row: Record<string, unknown> = {}
  for (const [field, { name, write }] of list) row[name] = write(values[field] as never)
  return row as NewRowOf<T>
}

/** The row is as `toNewRow` would have made it. */
export function toWrittenRow<T extends TableDefinition>({ columns }: T, row: RowOf<T>): NewRowOf<T> {
  const values: Readonly<Record<string, unknown>> = row
  const entries = Object.values(columns).map(({ name, show }) => [name, show(values[name] as never)])
  return Object.fromEntries(entries)
}

export function toView<T extends TableDefinition>({ columns }: T, row: RowOf<T>): ViewOf<T> {
  const values: Readonly<Record<string, unknown>> = row
  const entries = Object.entries(columns).map(([field, { name, show }]) => [
    field,
    show(values[name] as never),
  ])
  return Object.fromEntries(entries)
}

// These statements take rows as one JSON parameter, made by `toNewRow`.

/** Rows are written over those with the same key. `more` gives columns that the definition of the table lacks. */
export function upsertOf(table: TableDefinition, more: readonly NamedType[] = []): string {
  const names = [...namesOf(table), ...more.map(({ name }) => name)]
  const updated = names.filter((name) => !keyNames(table).includes(name))
  return `
    INSERT INTO ${table.name} (${names.join(', ')})
    SELECT ${names.map((name) => `given.${name}`).join(', ')} FROM ${given(table, Object.keys(table.columns), more)}
    ON CONFLICT (${keyNames(table).join(', ')})
    DO UPDATE SET ${updated.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`
}

/** Rows are written into a table without a unique index, from which those with the same key were deleted. */
export const insertOf = (table: TableDefinition): string => `
  INSERT INTO ${table.name} (${namesOf(table).join(', ')}) SELECT ${valuesOf(table).join(', ')} FROM ${given(table)}`

/** The rows with these keys are deleted. */
export const deleteOf = (table: TableDefinition): string =>
  `DELETE FROM ${table.name} AS row USING ${given(table, table.key)} WHERE ${sameKey(table, 'row', 'given')}`

/** `deleteOf` takes the key of a row in this form. */
export function keyOf(table: TableDefinition, row: object): object {
  const values: Readonly<Record<string, unknown>> = { ...row }
  return Object.fromEntries(keyNames(table).map((name) => [name, values[name]]))
}

interface NamedType {
  readonly name: string
  readonly type: string
}

function given(
  { columns }: TableDefinition,
  fields: readonly string[] = Object.keys(columns),
  more: readonly NamedType[] = [],
): string {
  const wanted = Object.entries(columns).flatMap(([field, column]) => (fields.includes(field) ? column : []))
  return `json_to_recordset($1::json) AS given (${[...wanted, ...more].map(({ name, type }) => `${name} ${type}`).join(', ')})`
}

const namesOf = ({ columns }: TableDefinition) => Object.values(columns).map(({ name }) => name)
const valuesOf = (table: TableDefinition) => namesOf(table).map((name) => `given.${name}`)
const keyNames = ({ key, columns }: TableDefinition) => key.flatMap((field) => columns[field]?.name ?? [])
const sameKey = (table: TableDefinition, one: string, other: string) =>
  keyNames(table)
    .map((name) => `${one}.${name} = ${other}.${name}`)
    .join(' AND ')
