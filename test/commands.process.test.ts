import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')

/** Runs what `npm run …` runs, from a folder inside the project. */
function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['../bin/command.mjs', ...words], {
    cwd: path.join(root, 'lib'),
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

test.each(['bench', 'prove'])(
  '%s without a name lists each name with when it is worth running',
  (command) => {
    const programs = fs
      .globSync(`proofs/${command}/*.ts`, { cwd: root })
      .filter((file) => !file.includes('.test.'))
    const list = new RegExp(
      `^npm run ${command} -- NAME, where NAME is one of:\\n( {2}[\\w-]+ {2,}\\S.+\\n){${programs.length}}$`,
    )
    expect(run(`proofs/${command}.ts`)).toEqual({ status: 1, said: expect.stringMatching(list) })
    expect(run(`proofs/${command}.ts`, 'toString')).toEqual({
      status: 1,
      said: expect.stringMatching(list),
    })
  },
)

test('a command passes its arguments on', () => {
  expect(run('proofs/conformance/main.ts', '--help')).toMatchObject({
    status: 0,
    said: expect.stringMatching(/^npm run conformance\n/),
  })
})
