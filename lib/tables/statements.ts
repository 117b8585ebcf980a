import 'server-only'
import type { Table } from './table.ts'

// Statements that take rows as one JSON parameter, `toNewRow` of each.

/** Writes rows, over those of the same key. */
export const upsertOf = (table: Table): string => insertOf(table, namesOf(table), valuesOf(table), '')

/**
 * Writes rows, but leaves one that is the same already, to the bit, as it is. It is looked for first, since a row that
 * conflicts is locked, and so written, even when it is then left alone.
 * @param more a column that is not in the rows, and what it is to be
 */
export function upsertChangedOf(
  table: Table,
  more?: { readonly name: string; readonly sql: string },
): string {
  const names = [...namesOf(table), ...(more ? [more.name] : [])]
  const values = [...valuesOf(table), ...(more ? [more.sql] : [])]
  const unlessSame = `
    WHERE NOT EXISTS (
      SELECT FROM ${table.name} AS row WHERE ${sameKey(table, 'row', 'given')}
        AND ROW(${names.map((name) => `row.${name}`).join(', ')})::record *= ROW(${values.join(', ')})::record
    )`
  return `${insertOf(table, names, values, unlessSame)} WHERE ${table.name}.* *<> EXCLUDED.*`
}

/** Writes those rows whose key is not there yet, into a table without a unique index. */
export const insertMissingOf = (table: Table): string => `
  INSERT INTO ${table.name} (${namesOf(table).join(', ')}) SELECT ${valuesOf(table).join(', ')} FROM ${given(table)}
  WHERE NOT EXISTS (SELECT FROM ${table.name} AS row WHERE ${sameKey(table, 'row', 'given')})`

/** Deletes the rows of these subjects whose key is not among those given. */
export const deleteOthersOf = (table: Table): string => `
  DELETE FROM ${table.name} AS row WHERE subject_id = ANY($2) AND NOT EXISTS (
    SELECT FROM ${given(table, table.key)} WHERE ${sameKey(table, 'row', 'given')}
  )`

/** Deletes the rows of these keys. */
export const deleteOf = (table: Table): string =>
  `DELETE FROM ${table.name} AS row USING ${given(table, table.key)} WHERE ${sameKey(table, 'row', 'given')}`

/** The key of a row, as `deleteOthersOf` and `deleteOf` take it. */
export function keyOf(table: Table, row: object): object {
  const values: Readonly<Record<string, unknown>> = { ...row }
  return Object.fromEntries(keyNames(table).map((name) => [name, values[name]]))
}

function insertOf(table: Table, names: readonly string[], values: readonly string[], where: string): string {
  const updated = names.filter((name) => !keyNames(table).includes(name))
  return `
    INSERT INTO ${table.name} (${names.join(', ')})
    SELECT ${values.join(', ')} FROM ${given(table)}${where}
    ON CONFLICT (${keyNames(table).join(', ')}) DO UPDATE SET ${updated.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`
}

function given({ columns }: Table, fields: readonly string[] = Object.keys(columns)): string {
  const wanted = Object.entries(columns).filter(([field]) => fields.includes(field))
  return `json_to_recordset($1::json) AS given (${wanted.map(([, { name, type }]) => `${name} ${type}`).join(', ')})`
}

const namesOf = ({ columns }: Table) => Object.values(columns).map(({ name }) => name)
const valuesOf = (table: Table) => namesOf(table).map((name) => `given.${name}`)
const keyNames = ({ key, columns }: Table) => key.flatMap((field) => columns[field]?.name ?? [])
const sameKey = (table: Table, one: string, other: string) =>
  keyNames(table)
    .map((name) => `${one}.${name} = ${other}.${name}`)
    .join(' AND ')
