import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

const root = path.dirname(import.meta.dirname)
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-sbom-'))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const run = async (cwd: string, to: string) => {
  const words = ['--import', path.join(root, 'bin/hooks.mjs'), path.join(root, 'bin/sbom.ts'), to]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd })
  return stdout
}

const BomSchema = z.object({
  specVersion: z.literal('1.6'),
  components: z.array(
    z.object({
      group: z.string().optional(),
      name: z.string(),
      version: z.string(),
      scope: z.string(),
      purl: z.string(),
      licenses: z.array(z.unknown()).min(1),
      hashes: z.array(z.object({ alg: z.literal('SHA-512'), content: z.string().length(128) })).min(1),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
})
const readBom = (to: string) => BomSchema.parse(JSON.parse(readFile(to, 'rampart.cdx.json')))
const readFile = (to: string, name: string) => fs.readFileSync(path.join(to, name), 'utf8')
type Listed = z.output<typeof BomSchema>['components'][number]
const idOf = ({ group, name, version }: Listed) => `${group ? `${group}/` : ''}${name}@${version}`

const LockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().default(false),
      link: z.boolean().default(false),
    }),
  ),
})

describe('the list of what runs', () => {
  beforeAll(() => run(root, folder))

  test('is valid by the schema of CycloneDX', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    expect(await validator.validate(readFile(folder, 'rampart.cdx.json'))).toBeNull()
    expect(
      await validator.validate('{"bomFormat":"CycloneDX","specVersion":"1.6","parts":[]}'),
    ).not.toBeNull()
  })

  test('names each package that is installed to run once, and none that is for development alone', () => {
    const { packages } = LockSchema.parse(JSON.parse(readFile(root, 'package-lock.json')))
    const wanted = Object.entries(packages).flatMap(([place, { name, version, dev, link }]) =>
      place.includes('node_modules/') && !dev && !link && fs.existsSync(path.join(root, place))
        ? [`${name ?? place.split('node_modules/').at(-1)}@${version}`]
        : [],
    )
    expect(wanted.length).toBeGreaterThan(300)
    const listed = readBom(folder).components.map(idOf)
    expect(listed.toSorted()).toEqual([...new Set(wanted)].sort())
    for (const name of ['vitest', '@biomejs/biome', '@cyclonedx/cyclonedx-library'])
      expect(listed.filter((id) => id.startsWith(`${name}@`))).toEqual([])
  })

  test('marks what no file of is left, since nothing loads it', () => {
    const excluded = readBom(folder).components.filter(({ scope }) => scope === 'excluded')
    expect(excluded.map(({ group, name }) => group ?? name)).toContain('sharp')
    expect(excluded.map(idOf)).not.toContain('next')
  })

  test('comes with the licences: each package with its name, and the texts of all that bring one', () => {
    const text = readFile(folder, 'third-party-licences.txt')
    const missing = readBom(folder).components.filter((listed) => !text.includes(`\n${idOf(listed)}: `))
    expect(missing).toEqual([])
    for (const part of ['Vercel, Inc.', 'Meta Platforms', 'OpenSSL', 'SIL OPEN FONT LICENSE'])
      expect(text.includes(part), part).toBe(true)
  })

  test('is the same when it is made again', async () => {
    const again = path.join(folder, 'again')
    expect(await run(root, again)).toMatch(/^\S+ holds the list of \d+ packages, and their licences\.\n$/)
    for (const name of fs.readdirSync(again)) expect(readFile(again, name)).toBe(readFile(folder, name))
  })
})

describe('of a tree of other packages', () => {
  /** The folder has this lock, and every package in it that is not optional is installed. */
  function plant(packages: Record<string, Record<string, unknown>>) {
    const tree = fs.mkdtempSync(path.join(folder, 'tree-'))
    for (const [place, { optional, link }] of Object.entries(packages)) {
      if (place === '' || optional || link) continue
      fs.mkdirSync(path.join(tree, place), { recursive: true })
      fs.writeFileSync(path.join(tree, place, 'package.json'), '{}')
    }
    const lock = { name: 'rampart', version: '1.0.0', packages }
    fs.writeFileSync(path.join(tree, 'package-lock.json'), JSON.stringify(lock))
    return tree
  }
  const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`
  const usual = { version: '1.0.0', license: 'MIT', integrity }
  const made = async (packages: Record<string, Record<string, unknown>>) => {
    const tree = plant(packages)
    await run(tree, 'out')
    return readBom(path.join(tree, 'out'))
  }

  test('several places of one version are one package, and each finds the version that it would load', async () => {
    const { components, dependencies } = await made({
      '': { version: '1.0.0', dependencies: { a: '1', b: '1' } },
      'node_modules/a': { ...usual, dependencies: { '@s/c': '2' } },
      'node_modules/a/node_modules/@s/c': { ...usual, version: '2.0.0+build', license: '(MIT OR ISC)' },
      'node_modules/b': { ...usual, dependencies: { '@s/c': '1' }, optionalDependencies: { gone: '1' } },
      'node_modules/@s/c': usual,
      'part/node_modules/a': usual,
      'node_modules/gone': { ...usual, optional: true },
      'node_modules/tool': { ...usual, dev: true },
      'node_modules/alias': { ...usual, name: 'real', license: 'A licence of our own' },
    })
    expect(components.map(idOf).sort()).toEqual([
      '@s/c@1.0.0',
      '@s/c@2.0.0+build',
      'a@1.0.0',
      'b@1.0.0',
      'real@1.0.0',
    ])
    expect(components.map(({ purl }) => purl)).toContain('pkg:npm/%40s/c@2.0.0%2Bbuild')
    const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    expect(needs.get('rampart@1.0.0')).toEqual(['a@1.0.0', 'b@1.0.0'])
    expect(needs.get('a@1.0.0')).toEqual(['@s/c@2.0.0+build'])
    expect(needs.get('b@1.0.0')).toEqual(['@s/c@1.0.0'])
  })

  test.each([
    ['is not installed', { version: '1.0.0', license: 'MIT' }, 'a is not installed. Install it: npm ci\n'],
    ['names no licence', { version: '1.0.0' }, 'a names no licence in package-lock.json.\n'],
  ])('no list is made while a package %s', async (what, entry, line) => {
    const tree = plant({ '': {}, 'node_modules/a': entry })
    if (what === 'is not installed') fs.rmSync(path.join(tree, 'node_modules'), { recursive: true })
    await expect(run(tree, 'out')).rejects.toMatchObject({ code: 1, stderr: line })
    expect(fs.existsSync(path.join(tree, 'out'))).toBe(false)
  })
})
