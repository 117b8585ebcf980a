import fs from 'node:fs'
import v8 from 'node:v8'
import pg from 'pg'
import { currentRequest } from '../../../lib/platform/log.ts'
import { statementsVariable } from './time-page.ts'

// The measured programs load this file. While the file that this variable names exists, each statement of a request is
// written there, with the request's id.
const file = process.env[statementsVariable] ?? ''
const { query } = pg.Client.prototype

Object.defineProperty(pg.Client.prototype, 'query', {
  configurable: true,
  writable: true,
  value(this: pg.Client, ...words: unknown[]) {
    const { request } = currentRequest()
    if (request !== undefined && fs.existsSync(file)) note(request, words)
    return Reflect.apply(query, this, words)
  },
})

/** The call is `query(text, values)` or `query({ text, values })`. */
function note(request: string, [first, second]: readonly unknown[]) {
  const given = typeof first === 'object' && first !== null ? first : { text: first }
  const text = 'text' in given ? String(given.text) : ''
  const values = 'values' in given && Array.isArray(given.values) ? given.values : second
  const kept = v8.serialize(Array.isArray(values) ? values : []).toString('base64')
  fs.appendFileSync(file, `${JSON.stringify({ request, text, values: kept })}\n`)
}
