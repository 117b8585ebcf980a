import { expect, it } from 'vitest'
import { type FileColumn, fileText } from './csv.ts'

interface Row {
  readonly id: string
  readonly count: number | null
  readonly stuck: boolean
  readonly flags: readonly string[]
}

const columns: readonly FileColumn<Row>[] = [
  ['uuid', ({ id }) => id],
  ['count', ({ count }) => count],
  ['stuck', ({ stuck }) => stuck],
  ['flags', ({ flags }) => flags],
]

const rows: readonly Row[] = [
  { id: 'a,b', count: 3, stuck: true, flags: ['late', 'conflict'] },
  { id: '=c', count: null, stuck: false, flags: [] },
]

async function* portionsOf(...portions: readonly (readonly Row[])[]) {
  yield* portions
}

it('writes CSV with a heading, and a portion for each that has rows', async () => {
  expect(await Array.fromAsync(fileText('csv', portionsOf(rows, [], rows.slice(0, 1)), columns))).toEqual([
    'uuid,count,stuck,flags\r\n',
    '"a,b",3,true,late conflict\r\n\'=c,,false,\r\n',
    '"a,b",3,true,late conflict\r\n',
  ])
})

it('writes a line of JSON for each row, from its columns or from the given value', async () => {
  expect(await Array.fromAsync(fileText('ndjson', portionsOf(rows), columns))).toEqual([
    '{"uuid":"a,b","count":3,"stuck":true,"flags":["late","conflict"]}\n{"uuid":"=c","count":null,"stuck":false,"flags":[]}\n',
  ])
  expect(await Array.fromAsync(fileText('ndjson', portionsOf(rows), columns, ({ id }) => ({ id })))).toEqual([
    '{"id":"a,b"}\n{"id":"=c"}\n',
  ])
})

it('writes only a heading when there is no row', async () => {
  expect(await Array.fromAsync(fileText('csv', portionsOf([]), columns))).toEqual([
    'uuid,count,stuck,flags\r\n',
  ])
  expect(await Array.fromAsync(fileText('ndjson', portionsOf(), columns))).toEqual([])
})
