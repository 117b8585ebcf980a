import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { digestOf } from './build.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-build-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** The line is that with which `npm run serve` refuses the pages in this folder, and empty where they are built. */
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

test.each([
  ['is ended by the system', `process.kill(process.pid, 'SIGKILL')`, 'ended by SIGKILL. It needs about 2 GB'],
  [
    'has a worker that the system ends',
    `console.log('Next.js build worker exited with code: null and signal: SIGKILL'); process.exit(1)`,
    'ended by SIGKILL. It needs about 2 GB',
  ],
  [
    'has no memory left of what Node allows',
    `console.log('FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'); process.abort()`,
    'It needs about 2 GB',
  ],
  ['refuses the sources', `console.log('Type error'); process.exit(1)`, 'next build failed; its last words'],
])('a build that %s ends with a line that says so', (_how, program, words) => {
  expect(failureIn(fs.mkdtempSync(path.join(folder, 'failing-')), program)).toContain(words)
})

test('a build below a folder that Tailwind cannot read ends with a line that says so, before it begins', () => {
  const place = fs.mkdtempSync(path.join(folder, 'client #1 '))
  expect(failureIn(place, `console.log('built')`)).toBe(
    `The pages cannot be built below a folder with a # in its name: ${place}. Move Rampart to another folder.\n`,
  )
})

/** The result is what a build in this folder says of its failure, where `next` is this program. */
function failureIn(place: string, program: string): string {
  const bin = path.join(place, 'node_modules', '.bin')
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(path.join(bin, 'next'), program)
  const run = `import { build } from '${pathToFileURL('bin/build.ts')}'
    const { signal } = new AbortController()
    await build({ logs: '.', say: () => undefined, signal }).catch((error) => console.log(error.message))`
  const given = ['--import', path.resolve('bin/hooks.mjs'), '--input-type=module', '-e', run]
  return spawnSync(process.execPath, given, { cwd: place, encoding: 'utf8' }).stdout
}
