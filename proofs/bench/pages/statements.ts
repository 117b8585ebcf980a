import fs from 'node:fs'
import v8 from 'node:v8'
import { z } from 'zod'

/** The measured programs write their statements to the file that this variable names. */
export const statementsVariable = 'RAMPART_BENCH_STATEMENTS'

export interface Statement {
  readonly text: string
  readonly values: unknown[]
}

const LineSchema = z.object({ request: z.string(), text: z.string(), values: z.base64() })

/** The list holds what one request asked the database for while `file` existed, without writes, BEGIN and COMMIT. */
export function readStatements(file: string, request: string): Statement[] {
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => LineSchema.parse(JSON.parse(line)))
    .filter((line) => line.request === request && reads(line.text))
    .map(({ text, values }) => ({
      text,
      values: z.array(z.unknown()).parse(v8.deserialize(Buffer.from(values, 'base64'))),
    }))
}

const reads = (sql: string) => /^\s*(SELECT|WITH)\b/i.test(sql) && !/\b(INSERT|UPDATE|DELETE)\b/.test(sql)
