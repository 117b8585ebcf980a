import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeForOperator } from '#lib/operator-error.ts'
import { build } from './build.ts'

// Makes the database client that programs import, where it is not there or out of date, then runs the program named.
const [node = '', , program = '', ...words] = process.argv
const logs = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-command-'))
try {
  await build({ dev: true, logs, say: console.error, signal: new AbortController().signal })
} catch (error) {
  console.error(describeForOperator(error))
  process.exit(1)
} finally {
  fs.rmSync(logs, { recursive: true, force: true })
}
const file = path.resolve(program)
process.argv = [node, file, ...words]
await import(pathToFileURL(file).href)
