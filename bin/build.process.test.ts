import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { digestOf } from './build.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-build-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** The line with which `npm run serve` refuses the pages in this folder; empty where they are built. */
function refusal(): string {
  const program = `import { requireBuilt } from '${pathToFileURL('bin/build.ts')}'
    try { requireBuilt() } catch (error) { console.log(error.message) }`
  const words = ['--import', path.resolve('bin/hooks.mjs'), '--input-type=module', '-e', program]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })
  return stdout + stderr
}

test('pages are served when they are built, and from these sources', () => {
  fs.mkdirSync(path.join(folder, 'app'))
  fs.writeFileSync(path.join(folder, 'app', 'page.tsx'), 'one')
  expect(refusal()).toBe('The pages are not built. Build them first: npm run build\n')
  fs.mkdirSync(path.join(folder, '.next'))
  fs.writeFileSync(path.join(folder, '.next', 'made-from'), digestOf(['app'], folder))
  expect(refusal()).toBe('')
  fs.writeFileSync(path.join(folder, 'app', 'page.test.tsx'), 'a test is no source')
  expect(refusal()).toBe('')
  fs.writeFileSync(path.join(folder, 'app', 'page.tsx'), 'two')
  expect(refusal()).toBe('The sources changed since the pages were built. Build them again: npm run build\n')
})
