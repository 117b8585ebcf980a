import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findStatementFaults } from './statements.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-statements-'))
afterAll(() => fs.rmSync(root, { recursive: true }))

const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}
const database = `
  interface Result<Row> { rows: Row[]; fields: object[]; rowCount: number }
  declare const pool: { query<Row = any>(text: string): Promise<Result<Row>> }`
write('tsconfig.json', '{ "compilerOptions": { "strict": true, "lib": ["es2023"], "types": [] } }')

const oids = { text: 25, int8: 20, timestamptz: 1184, jsonb: 3802, _text: 1009 }
const columns = [
  { number: 1, name: 'id', never_null: true, list: false },
  { number: 2, name: 'email', never_null: false, list: false },
  { number: 3, name: 'words', never_null: false, list: true },
].map((column) => ({ table: 9, table_name: 'person', ...column }))
const catalog = { columns, types: Object.entries(oids).map(([name, type]) => ({ type, name })) }

type Column = [name: string, type: keyof typeof oids, number?: number]
interface Ran {
  readonly text?: string
  readonly columns?: readonly Column[]
  readonly nulls?: readonly string[]
  /** The place in the second line of the source, and others around it. */
  readonly frames?: readonly string[]
}

/** The faults of one call in the first line of a source, which ran so. */
function faultsOf(call: string, ...ran: readonly Ran[]): string[] {
  write('lib/a.ts', `${call}\n${database}`)
  const column = Math.max(call.indexOf('query'), 0) + 1
  const records = ran.map(
    ({ text = 'SELECT', columns = [], nulls = [], frames = [`lib/a.ts:1:${column}`] }) => ({
      ...{ text, frames, nulls, bigints: true },
      columns: columns.map(([name, type, number = 0]) => [name, number && 9, number, oids[type]]),
    }),
  )
  const folder = path.join(root, 'recorded')
  write('recorded/catalog.json', JSON.stringify(catalog))
  write('recorded/1.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))
  const faults = findStatementFaults(root, folder, true)
  return faults.filter((fault) => fault.startsWith('lib/')).map((fault) => fault.replace('lib/a.ts:', ''))
}

const id: Column = ['id', 'text', 1]
const email: Column = ['email', 'text', 2]

test('a row that is declared as it comes has no fault', () => {
  const call = `const f = async () => (await pool.query<{ id: string; email: string | null; n: bigint; at?: Date; all: unknown }>('')).rows`
  const rest: Column[] = [email, ['n', 'int8'], ['all', 'jsonb']]
  expect(faultsOf(call, { columns: [id, ...rest], nulls: ['email'] })).toEqual([])
  expect(faultsOf(call, { columns: [id, ...rest, ['at', 'timestamptz']] })).toEqual([])
})

test('a column of another name or another type is named', () => {
  const call = `const f = async () => (await pool.query<{ id: number; mail: string | null }>('')).rows`
  expect(faultsOf(call, { columns: [id, email] })).toEqual([
    '1 declares id as number, it is string',
    '1 declares mail, which the statement does not return',
    '1 does not declare email, which the statement returns',
  ])
})

test('a column that may be null is declared so, unless the statement says that it is not', () => {
  const call = `const f = async () => (await pool.query<{ email: string }>('')).rows`
  const fault = '1 declares email without null, and person.email may be null'
  expect(faultsOf(call, { columns: [email] })).toEqual([fault])
  expect(faultsOf(call, { columns: [email], text: 'SELECT … WHERE email IS NOT NULL' })).toEqual([])
  const wide = `const f = async () => (await pool.query<{ id: string | null }>('')).rows`
  expect(faultsOf(wide, { columns: [id] })).toEqual(['1 declares id with null, and person.id is never null'])
  expect(faultsOf(wide, { columns: [id], text: 'SELECT … LEFT JOIN person …' })).toEqual([])
})

test('null in an expression or a list is a fault once it came', () => {
  const call = `const f = async () => (await pool.query<{ words: string[]; most: string }>('')).rows`
  const came: Column[] = [
    ['words', '_text', 3],
    ['most', 'text'],
  ]
  expect(faultsOf(call, { columns: came })).toEqual([])
  expect(faultsOf(call, { columns: came }, { columns: came, nulls: ['words', 'most'] })).toEqual([
    '1 declares most without null, and null came',
    '1 declares words without null, and null came',
  ])
})

test('rows that are read have a type, and a statement that no test runs is named', () => {
  const read = `const f = async () => (await pool.query('')).rows`
  expect(faultsOf(read, { columns: [id] })).toEqual(['1 declares no type for its rows'])
  expect(faultsOf(`const f = () => void pool.query('')`, { columns: [id] })).toEqual([])
  expect(faultsOf(`const f = async () => (await pool.query('')).rowCount`, { columns: [id] })).toEqual([])
  expect(faultsOf(read)).toEqual(['1 is run by no test'])
})

test('a function that is told the type leaves it to its caller', () => {
  const call = [
    'const query = async <Row>(text: string) => (await pool.query<Row>(text)).rows',
    `const f = () => query<{ id: number }>('')`,
  ].join('; ')
  const frames = [call.indexOf('query<Row>'), call.indexOf('query<{')].map((at) => `lib/a.ts:1:${at + 1}`)
  expect(faultsOf(call, { columns: [id], frames })).toEqual(['1 declares id as number, it is string'])
})
