import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commitOfBuild, readRelease, releaseInWords } from './release.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const other = 'f'.repeat(40)
let root: string

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-release-'))
  write('package.json', '{ "version": "1.2.3" }')
})
afterEach(() => fs.rmSync(root, { recursive: true }))

function write(file: string, text: string) {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}

test.each([
  ['on a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${commit}\n` }],
  ['on no branch', { '.git/HEAD': `${commit}\n` }],
  [
    'whose branches are packed',
    {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack-refs\n${other} refs/heads/other/refs/heads/main\n${commit} refs/heads/main\n`,
    },
  ],
  [
    'that is a work tree of another',
    {
      '.git': 'gitdir: all/worktrees/one\n',
      'all/worktrees/one/HEAD': 'ref: refs/heads/one\n',
      'all/worktrees/one/commondir': '../..\n',
      'all/refs/heads/one': commit,
    },
  ],
])('a clone %s knows its commit, whatever its last build says', (_, files) => {
  for (const [file, text] of Object.entries({ ...files, [commitOfBuild]: other })) write(file, text)
  expect(readRelease(root, null)).toEqual({ version: '1.2.3', commit })
})

test('a tree without a clone has the commit of its build, and an image that of its variable', () => {
  expect(readRelease(root, null)).toEqual({ version: '1.2.3', commit: null })
  write(commitOfBuild, commit)
  expect(readRelease(root, null).commit).toBe(commit)
  expect(readRelease(root, 'v9').commit).toBe('v9')
})

test('people read the version, and the beginning of the commit', () => {
  expect(releaseInWords({ version: '1.2.3', commit })).toBe('1.2.3 (0123456789ab)')
  expect(releaseInWords({ version: '1.2.3', commit: null })).toBe('1.2.3')
})
