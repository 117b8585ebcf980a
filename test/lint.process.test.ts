import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const project = path.join(import.meta.dirname, '..')

/**
 * Biome checks many files in the time of one, so all are planted before it starts. Files of one name are in several copies.
 */
const copies: string[] = []
const planted = new Set<string>()
const errors = new Map<string, string>()

beforeAll(() => {
  for (const copy of copies) {
    const biome = path.join(project, 'node_modules/@biomejs/biome/bin/biome')
    const words = [
      'lint',
      '--vcs-enabled=false',
      '--colors=off',
      '--max-diagnostics=none',
      '--reporter=github',
      '.',
    ]
    const run = spawnSync(process.execPath, [biome, ...words], { cwd: copy, encoding: 'utf8' })
    if (run.status !== 0 && run.status !== 1) throw new Error(run.stdout + run.stderr)
    for (const [, rule, file = '', message] of run.stdout.matchAll(
      /^::error title=(.*?),file=(.*?),.*?::(.*)$/gm,
    ))
      errors.set(file, `${errors.get(file) ?? ''}${rule}: ${message}\n`)
  }
})

afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true })
})

describe('lint of the domain', () => {
  for (const [code, message] of [
    ['Date.now()', 'has no clock'],
    ['[1].map(Date.now)', 'has no clock'],
    ['new Date()', 'has no clock'],
    ['new Date', 'has no clock'],
    ['Date()', 'has no clock'],
    ['performance.now()', 'global variable performance'],
    ['Math.random()', 'has no randomness'],
    ['crypto.randomUUID()', 'global variable crypto'],
    ["fetch('https://example.com')", 'global variable fetch'],
    ['process.env', 'global variable process'],
    ['globalThis.fetch', 'global variable globalThis'],
  ] as const)
    refuses(`refuses ${code}`, ['lib/access/rules/planted.ts'], constant(code), message)

  for (const code of ['new Date(5)', "Date.parse('2026-01-01T00:00:00Z')", 'Math.max(1, 2)'])
    allows(`allows ${code}`, 'lib/access/rules/planted.ts', constant(code))

  for (const file of ['lib/planted.ts', 'lib/access/rules/planted.test.ts'])
    allows(`lets ${file} read the clock`, file, constant('Date.now()'))
})

describe('lint of the configuration', () => {
  const code = constant('process.env.PORT')
  for (const file of [
    'lib/planted.ts',
    'app/planted.ts',
    'components/planted.ts',
    'sandbox/planted.ts',
    'server.ts',
  ])
    refuses(`refuses process.env in ${file}`, [file], code, 'noProcessEnv')

  for (const file of ['lib/platform/env.ts', 'sandbox/env.ts']) allows(`lets ${file} read it`, file, code)
})

describe('lint of the log', () => {
  const servers = [
    'lib/planted.ts',
    'app/planted.tsx',
    'sandbox/planted.ts',
    'server.ts',
    'projector.ts',
    'live.ts',
  ]

  const printing = constant("() => console.error('x')")

  for (const file of servers) refuses(`refuses console in ${file}`, [file], printing, 'noConsole')

  for (const file of ['proofs/planted.ts', 'components/planted.ts', 'bin/planted.ts', 'lib/planted.test.ts'])
    allows(`lets ${file} print`, file, printing)

  for (const [code, message] of [
    ['() => { try { work() } catch { again() } }', 'does not look at its error'],
    ['() => { try { work() } catch { return null } }', 'does not look at its error'],
    ['() => { try { work() } catch { again() } finally { end() } }', 'does not look at its error'],
    ['() => { try { work() } catch (_error) {} }', 'This error is lost'],
    ['() => work().catch(() => undefined)', 'This error is lost'],
    ['() => work().catch(() => null)', 'This error is lost'],
    ['() => work().catch(() => {})', 'This error is lost'],
  ] as const)
    refuses(`refuses ${code}`, servers, constant(code), message)

  for (const code of [
    '() => { try { return JSON.parse(text) } catch { return null } }',
    '() => { try { work() } catch (error) { log.warn({ err: error }, "failed") } }',
    '() => work().catch(leaveToWhoeverWaits)',
  ])
    allows(`allows ${code}`, 'lib/planted.ts', constant(code))
})

describe('lint of the dialect', () => {
  const everywhere = [
    'lib/planted.ts',
    'sandbox/planted.ts',
    'proofs/planted.ts',
    'test/planted.ts',
    'e2e/planted.ts',
  ]

  for (const [code, message] of [
    ['type A = { b: string }\nexport const a = {} as A', 'useConsistentTypeDefinitions'],
    ["import * as z from 'zod'\nexport const a = z.string()", "import { z } from 'zod'"],
    ["import type * as z from 'zod'\nexport const a = {} as z.ZodType", "import { z } from 'zod'"],
    ["export { default as a } from 'next/link'", 'components/ui/link.tsx'],
    ['export interface A {\n  b: string\n}', 'Write `readonly`'],
    ['export interface A {\n  readonly b: { c: string }\n}', 'Write `readonly`'],
    ['export const MAX_A = 5', 'in camelCase'],
    ["export const MAX_A: string = 'a'", 'in camelCase'],
    ["export const a = 'select b from c'", 'in upper case'],
    ['export const a = `select b, c from d`', 'in upper case'],
    ['export const a = `with b as (SELECT 1) SELECT 2`', 'in upper case'],
    ["export const a = 'insert into b VALUES (1)'", 'in upper case'],
    ["export const a = 'update b set c = 1'", 'in upper case'],
    ["export const a = 'delete from b'", 'in upper case'],
    ["export const a = 'SELECT coalesce(b, 1) FROM c'", 'in upper case'],
    ["declare const a: { query(b: string): void }\na.query('begin')", 'in upper case'],
  ] as const)
    refuses(`refuses ${code}`, everywhere, code, message)

  for (const code of [
    "type A = 'b' | 'c'\nexport const a = '' as A",
    'interface A {\n  readonly b: string\n}\nexport const a = {} as A',
    "import { z } from 'zod'\nexport const a = z.string()",
    'export interface A {\n  // biome-ignore lint/plugin: counts\n  b: number\n}',
    "export const A = 'SELECT count(*) FROM b'",
    'export const A = () => `SELECT b FROM c`',
    "export const a = 'select one'",
    "export const a = 'with %s as before'",
  ])
    allows(`allows ${code}`, 'sandbox/planted.ts', code)
})

describe('lint of texts', () => {
  const everywhere = ['app/planted.tsx', 'components/planted.tsx', 'lib/planted.ts', 'sandbox/planted.ts']

  for (const code of [
    `(b: string | null) => \`/c/\${b && \`?\${b}\`}\``,
    `(b: string | null, c: boolean) => \`/d\${c && (b ?? 1) && \`?\${b}\`}\``,
    `(b?: string) => \`/c\${(b && b)}\``,
  ])
    refuses(`refuses ${code}`, everywhere, constant(code), 'a text prints what && leaves')

  for (const code of [
    `(b: string | null) => \`/c\${b ? \`?\${b}\` : ''}\``,
    `(b: string | null, c: boolean) => \`/c\${b && c ? b : 1}\${[b && c].length}\``,
  ])
    allows(`allows ${code}`, 'app/planted.tsx', constant(code))
})

describe('lint of forms', () => {
  for (const code of ['<form onSubmit={send}>a</form>', '<form method="post" onSubmit={send} />'])
    refuses(
      `refuses ${code}`,
      ['app/planted.tsx', 'components/planted.tsx'],
      constant(code),
      'loads the page anew',
    )

  for (const code of [
    '<form method="dialog" onSubmit={send}>a</form>',
    '<form {...form}>a</form>',
    '<form method="post" action="/api/sign-out" />',
  ])
    allows(`allows ${code}`, 'app/planted.tsx', constant(code))
})

const constant = (code: string) => `export const planted = ${code}`

/** The project's own rules report errors for this code in each of the files. */
function refuses(title: string, files: readonly string[], code: string, message: string) {
  const places = files.map((file) => plant(file, code))
  it(title, () => {
    for (const place of places) expect(errors.get(place)).toContain(message)
  })
}

function allows(title: string, file: string, code: string) {
  const place = plant(file, code)
  it(title, () => expect(errors.get(place)).toBeUndefined())
}

function plant(file: string, code: string): string {
  const name = file.replace('/planted.', `/planted-${planted.size}.`)
  let copy = copies.find((folder) => !planted.has(path.join(folder, name)))
  if (!copy) {
    copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'rampart-lint-')))
    cpSync(path.join(project, 'biome.json'), path.join(copy, 'biome.json'))
    cpSync(path.join(project, 'lint'), path.join(copy, 'lint'), { recursive: true })
    copies.push(copy)
  }
  const place = path.join(copy, name)
  mkdirSync(path.dirname(place), { recursive: true })
  writeFileSync(place, `${code}\n`)
  planted.add(place)
  return place
}
