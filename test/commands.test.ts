import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')

/** Runs what `npm run …` runs, from a folder inside the project. */
function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['../bin/command.mjs', ...words], {
    cwd: path.join(root, 'lib'),
    env: { NODE_ENV: 'production', PATH: process.env.PATH },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

test.each(['bench', 'prove'])('%s without a name says in one line which names there are', (command) => {
  const line = new RegExp(`^npm run ${command} -- NAME, where NAME is one of: [\\w-]+(, [\\w-]+)+\\n$`)
  expect(run(`bin/${command}.ts`)).toEqual({ status: 1, said: expect.stringMatching(line) })
  expect(run(`bin/${command}.ts`, 'toString')).toEqual({ status: 1, said: expect.stringMatching(line) })
})

test('a command hands its words on', () => {
  expect(run('sandbox/conformance/main.ts', '--help')).toMatchObject({
    status: 0,
    said: expect.stringMatching(/^npm run conformance\n/),
  })
})
