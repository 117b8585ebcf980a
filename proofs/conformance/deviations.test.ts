import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { deviate, deviations, findAssumptions } from './deviations.ts'
import { contract } from './kit/contract.ts'

const known = contract.map(({ id }) => id)

describe.each(deviations)('$name', (deviation) => {
  it('has its place in the code, once', () => {
    expect(deviate(deviation)).toContain(deviation.instead)
  })

  it('breaks rules that there are', () => {
    expect(known).toEqual(expect.arrayContaining(deviation.breaks))
  })
})

const root = path.resolve(import.meta.dirname, '../..')

it('finds each mark of the code', () => {
  const words = ['-rhoE', 'ASSUMED:( |$)', '--include=*.ts', '--include=*.tsx', '--exclude=*.test.ts']
  const { stdout } = spawnSync('grep', [...words, 'sandbox', 'lib', 'components', 'app'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(findAssumptions(root)).toHaveLength(stdout.split('\n').length - 1)
})

it('reads a mark to the end of its sentence, in every kind of comment', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-assumed-'))
  for (const name of ['sandbox', 'lib', 'components', 'app']) fs.mkdirSync(path.join(folder, name))
  const code = `/** Says this. ASSUMED: one thing,
 * and its rest. More words follow.
 */
const a = 1 // ASSUMED: two things
const text = 'Here. ASSUMED: a text.',
// ASSUMED: three things. ASSUMED: four things.
`
  fs.writeFileSync(path.join(folder, 'lib/a.ts'), code)
  expect(findAssumptions(folder).map(({ line, says }) => [line, says])).toEqual([
    [1, 'one thing, and its rest.'],
    [4, 'two things'],
    [5, 'a text.'],
    [6, 'three things.'],
    [6, 'four things.'],
  ])
  fs.rmSync(folder, { recursive: true })
})
