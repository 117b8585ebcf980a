import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describeForOperator } from '#lib/platform/operator-error.ts'
import { build } from './build.ts'

// `npm run build` starts this program. A failed build keeps its log, since its last line names the log.
const logs = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-build-'))
try {
  await build({ logs, say: console.log, signal: new AbortController().signal, once: true })
  fs.rmSync(logs, { recursive: true })
  console.log('The pages are built. Start them: npm run serve')
} catch (error) {
  console.error(describeForOperator(error))
  process.exitCode = 1
}
