import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import v8 from 'node:v8'
import { expect, test } from 'vitest'
import { readStatements } from './time-page.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-statements-'))
const file = path.join(folder, 'statements')

const write = (statements: readonly { request: string; text: string; values: unknown[] }[]) =>
  fs.writeFileSync(
    file,
    statements
      .map(
        ({ values, ...rest }) =>
          `${JSON.stringify({ ...rest, values: v8.serialize(values).toString('base64') })}\n`,
      )
      .join(''),
  )

test('what a request asked the database for is read with its values, and nothing of other requests', () => {
  const at = new Date(0)
  write([
    { request: 'a', text: 'SELECT $1, $2', values: [at, Buffer.from('x')] },
    { request: 'b', text: 'SELECT 2', values: [] },
  ])
  expect(readStatements(file, 'a')).toEqual([{ text: 'SELECT $1, $2', values: [at, expect.any(Uint8Array)] }])
})

test.each([
  'BEGIN',
  'UPDATE session SET idle = 1',
  'WITH gone AS (DELETE FROM link RETURNING id) SELECT id FROM gone',
])('%s is not asked again', (text) => {
  write([{ request: 'a', text, values: [] }])
  expect(readStatements(file, 'a')).toEqual([])
})
