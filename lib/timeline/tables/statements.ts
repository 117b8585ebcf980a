import 'server-only'
import type { TableDefinition } from './table.ts'

// Statements that take rows as one JSON parameter, `toNewRow` of each.

/**
 * Writes rows, over those of the same key.
 * @param more columns that are not in the rows, and what they are to be
 */
export function upsertOf(
  table: TableDefinition,
  more: readonly { readonly name: string; readonly sql: string }[] = [],
): string {
  const names = [...namesOf(table), ...more.map(({ name }) => name)]
  const values = [...valuesOf(table), ...more.map(({ sql }) => sql)]
  const updated = names.filter((name) => !keyNames(table).includes(name))
  return `
    INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${given(table)}
    ON CONFLICT (${keyNames(table).join(', ')})
    DO UPDATE SET ${updated.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`
}

/** Writes those rows whose key is not there yet, into a table without a unique index. */
export const insertMissingOf = (table: TableDefinition): string => `
  INSERT INTO ${table.name} (${namesOf(table).join(', ')}) SELECT ${valuesOf(table).join(', ')} FROM ${given(table)}
  WHERE NOT EXISTS (SELECT FROM ${table.name} AS row WHERE ${sameKey(table, 'row', 'given')})`

/** Deletes the rows of these keys. */
export const deleteOf = (table: TableDefinition): string =>
  `DELETE FROM ${table.name} AS row USING ${given(table, table.key)} WHERE ${sameKey(table, 'row', 'given')}`

/** The key of a row, as `deleteOf` takes it. */
export function keyOf(table: TableDefinition, row: object): object {
  const values: Readonly<Record<string, unknown>> = { ...row }
  return Object.fromEntries(keyNames(table).map((name) => [name, values[name]]))
}

function given({ columns }: TableDefinition, fields: readonly string[] = Object.keys(columns)): string {
  const wanted = Object.entries(columns).filter(([field]) => fields.includes(field))
  return `json_to_recordset($1::json) AS given (${wanted.map(([, { name, type }]) => `${name} ${type}`).join(', ')})`
}

const namesOf = ({ columns }: TableDefinition) => Object.values(columns).map(({ name }) => name)
const valuesOf = (table: TableDefinition) => namesOf(table).map((name) => `given.${name}`)
const keyNames = ({ key, columns }: TableDefinition) => key.flatMap((field) => columns[field]?.name ?? [])
const sameKey = (table: TableDefinition, one: string, other: string) =>
  keyNames(table)
    .map((name) => `${one}.${name} = ${other}.${name}`)
    .join(' AND ')
