import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { startCommand } from '../../test/rampart-command.ts'
import { runHere } from '../../test/run-here.ts'
import { commands } from './commands.ts'
import { completionFor } from './completion.ts'

const names = Object.keys(commands)
const nowhere = path.join(os.tmpdir(), `rampart-help-${process.pid}`)

const variables = {
  RAMPART_DATA_DIR: nowhere,
  // No command may ask for a database to explain itself.
  DATABASE_URL: 'no address at all',
}

const run = (words: readonly string[]) => runHere(words, variables)

test('a process ends as the command does', async () => {
  const { code, out, err } = await startCommand(['statsu'], variables).ended
  expect([code, out]).toEqual([2, ''])
  expect(err).toBe((await run(['statsu'])).err)
  expect((await startCommand(['help'], variables).ended).out).toBe((await run(['help'])).out)
})

test('Node loads the program of every command as it is', () => {
  const files = fs.globSync('*-command*.ts', { cwd: import.meta.dirname })
  const source = files.map((file) => `import ${JSON.stringify(path.join(import.meta.dirname, file))}`)
  const words = ['--import', './bin/hooks.mjs', '--input-type=module', '--eval', source.join('\n')]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(files.length).toBeGreaterThan(8)
})

test.each(names)('%s explains itself and does nothing else', async (name) => {
  for (const words of [
    [name, '--help'],
    [name, 'word', '-h'],
    ['--help', name],
    ['help', name],
  ]) {
    const { code, out, err } = await run(words)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^npm run rampart (-- )?${name}\\b.*\\n\\nIt \\w+s `))
    expect(out).toMatch(/\nExit codes: 0 .*2 not understood/)
  }
  expect(fs.existsSync(nowhere)).toBe(false)
})

test.each(names)('%s refuses an option that it does not have', async (name) => {
  const { code, out, err } = await run([name, '--hepl'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(
    new RegExp(`^"${name}" has no option --hepl\\. Did you mean --help\\?\\n\\nnpm run rampart`),
  )
})

test.each<[words: string[], said: RegExp]>([
  [[], /^Which command\?/],
  [['statsu'], /^There is no command "statsu"\. Did you mean "status"\?/],
  [['toString'], /^There is no command "toString"/],
  [['--fast'], /^There is no option --fast\./],
  [['status', 'now'], /^"status" takes nothing else, but was given "now"\./],
  [['help', 'statsu'], /^There is no command "statsu"\./],
  [['completion', 'csh'], /^For which shell\?/],
])('%j is refused with 2, and what there is', async (words, said) => {
  expect(await run(words)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(said) })
})

test('without a command the help lists every command', async () => {
  for (const words of [['help'], ['--help'], ['-h']]) {
    const { code, out } = await run(words)
    expect(code).toBe(0)
    for (const name of names) expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  }
})

/** The commands that may run for minutes say what an interruption leaves. */
test.each(['rebuild', 'audit', 'backup', 'restore', 'export-user', 'erase-user', 'retention', 'keys'])(
  '%s says how it goes on after an interruption',
  async (name) => expect((await run(['help', name])).out).toMatch(/\nInterrupted: \w+/),
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

  it('defines a command that is short for npm run rampart', async () => {
    const script = `${(await run(['completion', 'bash'])).out}\nrampart help status`
    const { status, stdout } = spawnSync('bash', ['-c', script], {
      encoding: 'utf8',
      env: { NODE_ENV: 'production', PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
    })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^npm run rampart -- status/)
  })
})
