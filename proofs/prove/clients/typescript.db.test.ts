import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { startTestSandbox } from '../../../sandbox/test/running.ts'
import { doJob, typescript, writeDocuments } from './languages.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-client-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

it('a TypeScript client made of the documents compiles, and does the whole job of a merchant’s backend', async () => {
  const sandbox = await startTestSandbox()
  try {
    const documents = await writeDocuments(sandbox.origin, path.join(folder, 'documents'))
    const made = await typescript({ folder, documents })
    expect(await doJob(made, sandbox)).toBe('done: 13 types of event')
  } finally {
    await sandbox.stop()
  }
})
