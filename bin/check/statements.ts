import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { SourceCalls, StatementCall } from './declared-rows.ts'
import { type DeclaredColumn, findStatementCalls } from './declared-rows.ts'

const recorder = path.join(import.meta.dirname, 'record-statements.mjs')

/** With these variables every process of the tests writes its statements into the folder. */
export const recordingOf = (folder: string): Record<string, string> => ({
  RECORD_STATEMENTS: folder,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${pathToFileURL(recorder).href}`,
})

/** The integration tests get an answer to these by chance or never. */
const notRun: ReadonlyMap<string, string> = new Map([
  ["lib/platform/db/migrate.ts 'ROLLBACK'", 'needs a lock that is held for a second; it has no rows'],
  ["lib/platform/db/month-keeper.ts 'ROLLBACK'", 'needs a lock at the right moment; it has no rows'],
  ['lib/operations/probes/probes.ts tryToWrite', 'the database refuses it; it has no rows'],
  [
    'lib/platform/db/claimed-queue.ts this.#sql.renew',
    'needs a mail server that takes minutes; it has no rows',
  ],
])

/** These rows have no declared type. The list may only become shorter. */
const undeclared: ReadonlyMap<string, string> = new Map([
  ['lib/platform/limits/limits.ts { ...query, types: numbers }', 'the limiter reads them'],
  [
    'lib/timeline/projector/projections.ts { name: `rows-of- {projection.table.name',
    'they have the columns of any table, and are compared one by one',
  ],
])

/** A column of our tables, in the database of which the tests have copies. */
const OriginSchema = z.object({
  ...{ table: z.number(), number: z.number(), table_name: z.string(), name: z.string() },
  ...{ never_null: z.boolean(), list: z.boolean() },
})
const TypeSchema = z.object({ type: z.number(), name: z.string() })
const CatalogSchema = z.object({ columns: z.array(OriginSchema), types: z.array(TypeSchema) })
type Catalog = z.infer<typeof CatalogSchema>

const RecordSchema = z.object({
  text: z.string(),
  frames: z.array(z.string()),
  columns: z.array(z.tuple([z.string(), z.number(), z.number(), z.number()])),
  bigints: z.boolean(),
  nulls: z.array(z.string()),
})
type StatementRecord = z.infer<typeof RecordSchema>

/**
 * Lists where a declared row type differs from what PostgreSQL answered in the integration tests.
 * @param whole whether all of them ran, so that a statement that nobody ran is a fault
 */
export function findStatementFaults(root: string, folder: string, whole: boolean): string[] {
  const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8')
  const sources = fs
    .globSync(['{lib,bin,app,components}/**/*.{ts,tsx}', '*.ts'], { cwd: root })
    .filter((file) => !/\.test\.|\/generated\/|^bin\/check\//.test(file) && /query/i.test(read(file)))
  const records = fs
    .readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => fs.readFileSync(path.join(folder, file), 'utf8').split('\n'))
    .filter(Boolean)
    .map((line) => RecordSchema.parse(JSON.parse(line)))
  const catalog = CatalogSchema.parse(JSON.parse(fs.readFileSync(path.join(folder, 'catalog.json'), 'utf8')))
  return compareStatements(findStatementCalls(root, sources), records, catalog, whole)
}

function compareStatements(
  sources: ReadonlyMap<string, SourceCalls>,
  records: readonly StatementRecord[],
  catalog: Catalog,
  whole: boolean,
): string[] {
  const ran = new Map<StatementCall, StatementRecord[]>()
  for (const record of records) {
    const call = callOf(sources, record)
    if (call) ran.set(call, [...(ran.get(call) ?? []), record])
  }
  const compare = comparisonWith(catalog)
  const faults = [...ran].flatMap(([call, statements]) =>
    compare(call, statements).map((fault) => `${call.file}:${call.line} ${fault}`),
  )
  if (!whole) return unique(faults)
  const calls = [...sources.values()].flatMap((source) => source.calls)
  const missed = calls.filter((call) => call.row !== 'forwarded' && !ran.has(call))
  faults.push(
    ...missed
      .filter((call) => !notRun.has(nameOf(call)))
      .map((call) => `${call.file}:${call.line} is run by no test`),
    ...stale(notRun, calls, 'which no source has'),
    ...stale(
      undeclared,
      calls.filter(({ row }) => row === 'undeclared'),
      'which has a type',
    ),
  )
  return unique(faults)
}

const unique = (faults: readonly string[]) => [...new Set(faults)].toSorted()

const nameOf = ({ file, argument }: StatementCall) => `${file} ${argument}`

function stale(list: ReadonlyMap<string, string>, calls: readonly StatementCall[], why: string): string[] {
  const names = new Set(calls.map(nameOf))
  return [...list.keys()].filter((name) => !names.has(name)).map((name) => `A list names ${name}, ${why}`)
}

/** The innermost call of a statement that declares a type. */
function callOf(
  sources: ReadonlyMap<string, SourceCalls>,
  { frames }: StatementRecord,
): StatementCall | undefined {
  for (const frame of frames) {
    const [file = '', line, column] = frame.split(':')
    const source = sources.get(file)
    const position = source?.positionOf(Number(line), Number(column)) ?? -1
    const [call] = (source?.calls ?? [])
      .filter(({ start, end }) => start <= position && position < end)
      .toSorted((a, b) => a.end - a.start - (b.end - b.start))
    if (call && call.row !== 'forwarded') return call
  }
  return undefined
}

function comparisonWith({ columns, types }: Catalog) {
  const typeNames = new Map(types.map(({ type, name }) => [type, name]))
  const origins = new Map(columns.map((column) => [`${column.table} ${column.number}`, column]))

  return (call: StatementCall, statements: readonly StatementRecord[]): string[] => {
    const { row } = call
    if (row === 'undeclared' && !undeclared.has(nameOf(call)))
      return statements.some((one) => one.columns.length > 0) ? ['declares no type for its rows'] : []
    if (typeof row === 'string') return []
    const came = new Map<string, Set<string>>()
    const faults = statements.flatMap((statement) => {
      const names = statement.columns.map(([name]) => name)
      for (const [name, , , type] of statement.columns) {
        const kind = kindOf(typeNames.get(type) ?? '', statement.bigints)
        came.set(name, (came.get(name) ?? new Set()).add(kind))
      }
      return [
        ...[...row]
          .filter(([name, { optional }]) => !optional && !names.includes(name))
          .map(([name]) => `declares ${name}, which the statement does not return`),
        ...names
          .filter((name) => !row.has(name))
          .map((name) => `does not declare ${name}, which the statement returns`),
        ...statement.columns.flatMap((column) => {
          const declared = row.get(column[0])
          return declared ? nullabilityFaults(declared, column, statement) : []
        }),
      ]
    })
    for (const [name, { kinds }] of row) {
      const wanted = came.get(name)
      // The shape of JSON is the concern of whoever writes it.
      if (!wanted || wanted.has('any') || wanted.symmetricDifference(kinds).size === 0) continue
      faults.push(`declares ${name} as ${[...kinds].join(' | ')}, it is ${[...wanted].join(' | ')}`)
    }
    return faults
  }

  function nullabilityFaults(
    { nullable, kinds }: DeclaredColumn,
    [name, table, number]: StatementRecord['columns'][number],
    { text, nulls }: StatementRecord,
  ): string[] {
    if (!nullable && nulls.includes(name)) return [`declares ${name} without null, and null came`]
    // Nobody knows when an expression is null, only when it was.
    const origin = origins.get(`${table} ${number}`)
    if (!origin) return []
    const column = `${origin.table_name}.${origin.name}`
    const isExcluded = new RegExp(`\\b"?(${origin.name}|${name})"? IS NOT NULL`, 'i').test(text)
    // Prisma knows no list that may be null, and makes none NOT NULL.
    if (!nullable && !origin.never_null && !origin.list && !isExcluded)
      return [`declares ${name} without null, and ${column} may be null`]
    const isOuter = /\b(LEFT|RIGHT|FULL)( OUTER)? JOIN\b/i.test(text)
    if (nullable && origin.never_null && !isOuter && !kinds.has('any'))
      return [`declares ${name} with null, and ${column} is never null`]
    return []
  }
}

/** The kind of value that node-postgres makes of a PostgreSQL type; `any` for JSON. */
function kindOf(type: string, bigints: boolean): string {
  if (type.startsWith('_')) return `${kindOf(type.slice(1), false)}[]`
  if (type === 'bool') return 'boolean'
  if (/^(int[24]|float[48]|oid)$/.test(type)) return 'number'
  if (type === 'int8') return bigints ? 'bigint' : 'string'
  if (/^(timestamp|timestamptz|date)$/.test(type)) return 'Date'
  if (type === 'bytea') return 'Buffer'
  return /^jsonb?$/.test(type) ? 'any' : 'string'
}
