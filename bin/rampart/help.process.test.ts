import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { commands } from './commands.ts'
import { completionFor } from './completion.ts'

const names = Object.keys(commands)
const nowhere = path.join(os.tmpdir(), `rampart-help-${process.pid}`)

function run(words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './bin/hooks.mjs', 'bin/rampart/rampart.ts', ...words],
    {
      env: {
        NODE_ENV: 'production',
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        RAMPART_DATA_DIR: nowhere,
        // No command may ask for a database to explain itself.
        DATABASE_URL: 'no address at all',
      },
      encoding: 'utf8',
    },
  )
  return { status, stdout, stderr }
}

test.each(names)('%s explains itself and does nothing else', (name) => {
  for (const words of [
    [name, '--help'],
    [name, 'word', '-h'],
    ['--help', name],
    ['help', name],
  ]) {
    const { status, stdout, stderr } = run(words)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^npm run rampart (-- )?${name}\\b.*\\n\\nIt \\w+s `))
    expect(stdout).toMatch(/\nExit codes: 0 .*2 not understood/)
  }
  expect(fs.existsSync(nowhere)).toBe(false)
})

test.each(names)('%s refuses an option that it does not have', (name) => {
  const { status, stdout, stderr } = run([name, '--hepl'])
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(
    new RegExp(`^"${name}" has no option --hepl\\. Did you mean --help\\?\\n\\nnpm run rampart`),
  )
})

test.each<[words: string[], said: RegExp]>([
  [[], /^Which command\?/],
  [['statsu'], /^There is no command "statsu"\. Did you mean "status"\?/],
  [['--fast'], /^There is no option --fast\./],
  [['status', 'now'], /^"status" takes nothing else, but was given "now"\./],
  [['help', 'statsu'], /^There is no command "statsu"\./],
  [['completion', 'csh'], /^For which shell\?/],
])('%j is refused with 2, and what there is', (words, said) => {
  expect(run(words)).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(said) })
})

test('without a command the help lists every command', () => {
  for (const words of [['help'], ['--help'], ['-h']]) {
    const { status, stdout } = run(words)
    expect(status).toBe(0)
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  }
})

/** The commands that may run for minutes say what an interruption leaves. */
test.each(['rebuild', 'audit', 'backup', 'restore', 'export-user', 'erase-user', 'retention', 'keys'])(
  '%s says how it goes on after an interruption',
  (name) => expect(run(['help', name]).stdout).toMatch(/\nInterrupted: \w+/),
)

describe('the completion', () => {
  /** bash completes the last word. */
  function complete(...words: string[]) {
    const script = `${completionFor('bash', commands)}
      COMP_WORDS=(rampart ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
      _rampart; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.split('\n').filter(Boolean)
  }

  it('of bash knows commands, first words and options', () => {
    expect(complete('st')).toEqual(['status'])
    expect(complete('')).toEqual([...names, '--help'])
    expect(complete('status', '--')).toEqual(['--json', '--help'])
    expect(complete('audit', 'v')).toEqual(['verify'])
    expect(complete('help', 'doc')).toEqual(['doctor'])
    expect(complete('nothing', '')).toEqual([])
  })

  it.each(['zsh', 'fish'])('of %s names every command with what it does', (shell) => {
    const script = completionFor(shell, commands) ?? ''
    for (const [name, { about }] of Object.entries(commands)) {
      expect(script).toContain(name)
      expect(script).toContain(about.slice(0, 12))
    }
  })

  it('defines a command that is short for npm run rampart', () => {
    const script = `${run(['completion', 'bash']).stdout}\nrampart help status`
    const { status, stdout } = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { NODE_ENV: 'production', PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^npm run rampart -- status/)
  })
})
