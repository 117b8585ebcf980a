import 'server-only'

/**
 * A column: its name, its type, and the forms of its values. `Row` is what a query answers, `Given` what the domain has,
 * `Json` what goes to the database as JSON and leaves the server in a view.
 */
export interface Column<Name extends string, Row, Given = Row, Json = Row> {
  readonly name: Name
  /** As PostgreSQL calls it. */
  readonly type: string
  readonly nullable: boolean
  readonly write: (given: Given) => Json
  readonly show: (row: Row) => Json
}

/** The same column, which may be null. */
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

/** Digits, as exact as they are. */
export const numeric = plain<string>('numeric')

/** Texts of a closed set, such as the flags of an event. */
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

/** Bytes: in the domain as hex, as JSON as PostgreSQL writes them. */
export const hex = <const Name extends string>(name: Name): Column<Name, Buffer, string, string> => ({
  name,
  type: 'bytea',
  nullable: false,
  write: (given) => `\\x${given}`,
  show: (row) => `\\x${row.toString('hex')}`,
})

/** A time: in the domain as ms since 1970, as JSON in ISO 8601. */
export const time = <const Name extends string>(name: Name): Column<Name, Date, number, string> => ({
  name,
  type: 'timestamptz',
  nullable: false,
  write: isoTime,
  show: (row) => row.toISOString(),
})

/** Caches the last formatted time: rows of one delivery repeat it. */
let last = { ms: 0, text: new Date(0).toISOString() }

export function isoTime(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}
