import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const project = path.join(import.meta.dirname, '..')
let copy: string

beforeAll(() => {
  copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'rampart-lint-')))
  cpSync(path.join(project, 'biome.json'), path.join(copy, 'biome.json'))
  cpSync(path.join(project, 'lint'), path.join(copy, 'lint'), { recursive: true })
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('lint of the domain', () => {
  it.each([
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
  ])('refuses %s', (code, message) => {
    const { status, output } = lint('lib/domain/planted.ts', code)
    expect(output).toContain(message)
    expect(status).toBe(1)
  })

  it.each(['new Date(5)', "Date.parse('2026-01-01T00:00:00Z')", 'Math.max(1, 2)'])('allows %s', (code) => {
    expect(lint('lib/domain/planted.ts', code)).toMatchObject({ status: 0 })
  })

  it.each(['lib/planted.ts', 'lib/domain/planted.test.ts'])('lets %s read the clock', (file) => {
    expect(lint(file, 'Date.now()')).toMatchObject({ status: 0 })
  })
})

describe('lint of the configuration', () => {
  it.each(['lib/planted.ts', 'app/planted.ts', 'components/planted.ts', 'sandbox/planted.ts', 'server.ts'])(
    'refuses process.env in %s',
    (file) => {
      const { status, output } = lint(file, 'process.env.PORT')
      expect(output).toContain('noProcessEnv')
      expect(status).toBe(1)
    },
  )

  it.each(['lib/env.ts', 'sandbox/env.ts'])('lets %s read it', (file) => {
    expect(lint(file, 'process.env.PORT')).toMatchObject({ status: 0 })
  })
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

  it.each(servers)('refuses console in %s', (file) => {
    const { status, output } = lint(file, "() => console.error('x')")
    expect(output).toContain('noConsole')
    expect(status).toBe(1)
  })

  it.each(['proofs/planted.ts', 'components/planted.ts', 'bin/planted.ts', 'lib/planted.test.ts'])(
    'lets %s print',
    (file) => {
      expect(lint(file, "() => console.error('x')")).toMatchObject({ status: 0 })
    },
  )

  it.each([
    ['() => { try { work() } catch { again() } }', 'does not look at its error'],
    ['() => { try { work() } catch { return null } }', 'does not look at its error'],
    ['() => { try { work() } catch { again() } finally { end() } }', 'does not look at its error'],
    ['() => { try { work() } catch (_error) {} }', 'This error is lost'],
    ['() => work().catch(() => undefined)', 'This error is lost'],
    ['() => work().catch(() => null)', 'This error is lost'],
    ['() => work().catch(() => {})', 'This error is lost'],
  ])('refuses %s', (code, message) => {
    for (const file of servers) {
      const { status, output } = lint(file, code)
      expect(output).toContain(message)
      expect(status).toBe(1)
    }
  })

  it.each([
    '() => { try { return JSON.parse(text) } catch { return null } }',
    '() => { try { work() } catch (error) { log.warn({ err: error }, "failed") } }',
    '() => work().catch(leaveToWhoeverWaits)',
  ])('allows %s', (code) => {
    expect(lint('lib/planted.ts', code)).toMatchObject({ status: 0 })
  })
})

describe('lint of the dialect', () => {
  const everywhere = [
    'lib/planted.ts',
    'sandbox/planted.ts',
    'proofs/planted.ts',
    'test/planted.ts',
    'e2e/planted.ts',
  ]

  it.each([
    ['type A = { b: string }\nexport const a = {} as A', 'useConsistentTypeDefinitions'],
    ["import * as z from 'zod'\nexport const a = z.string()", "import { z } from 'zod'"],
    ["import type * as z from 'zod'\nexport const a = {} as z.ZodType", "import { z } from 'zod'"],
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
  ])('refuses %s', (code, message) => {
    for (const file of everywhere) {
      const { status, output } = lintFile(file, code)
      expect(output).toContain(message)
      expect(status).toBe(1)
    }
  })

  it.each([
    "type A = 'b' | 'c'\nexport const a = '' as A",
    'interface A {\n  readonly b: string\n}\nexport const a = {} as A',
    "import { z } from 'zod'\nexport const a = z.string()",
    'export interface A {\n  // biome-ignore lint/plugin: counts\n  b: number\n}',
    "export const A = 'SELECT count(*) FROM b'",
    'export const A = () => `SELECT b FROM c`',
    "export const a = 'select one'",
    "export const a = 'with %s as before'",
  ])('allows %s', (code) => {
    expect(lintFile('sandbox/planted.ts', code)).toMatchObject({ status: 0 })
  })
})

/** Runs the project's own rules over one planted line. */
function lint(file: string, code: string): { status: number | null; output: string } {
  return lintFile(file, `export const planted = ${code}`)
}

function lintFile(file: string, code: string): { status: number | null; output: string } {
  const planted = path.join(copy, file)
  mkdirSync(path.dirname(planted), { recursive: true })
  writeFileSync(planted, `${code}\n`)
  const biome = path.join(project, 'node_modules/@biomejs/biome/bin/biome')
  const run = spawnSync(process.execPath, [biome, 'lint', '--vcs-enabled=false', '--colors=off', file], {
    cwd: copy,
    encoding: 'utf8',
  })
  rmSync(planted)
  return { status: run.status, output: run.stdout + run.stderr }
}
