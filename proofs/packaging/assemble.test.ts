import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ignoredBy, parseDockerfile } from './assemble.ts'

const stages = parseDockerfile(fs.readFileSync('ops/Dockerfile', 'utf8'))
const ignored = ignoredBy(fs.readFileSync('.dockerignore', 'utf8'))
const image = stages.at(-1)

describe('the Dockerfile', () => {
  test('copies only what the context has', () => {
    const sources = stages.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.kind === 'copy' && step.from === null ? step.sources : [])),
    )
    expect(sources.length).toBeGreaterThan(10)
    expect(sources.filter((source) => !fs.existsSync(source) || ignored(source))).toEqual([])
  })

  test('installs what runs, as it is locked, and nothing at its start', () => {
    const commands = stages.flatMap(({ steps }) =>
      steps.flatMap((step) => (step.kind === 'run' ? step.command : [])),
    )
    expect(commands).toContain('npm ci --omit=dev')
    expect(commands).toContain('npm run build')
    expect(image?.command).toEqual(['node', 'bin/start.mjs', '--serve'])
  })

  test('runs as a user without rights, who has a number as Kubernetes wants it', () => {
    expect(image?.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })

  test('keeps its data in the volume, and asks by Node alone for its health', () => {
    expect(image?.environment.RAMPART_DATA_DIR).toMatch(new RegExp(`^${image?.volumes[0]}/`))
    expect(image?.healthCommand[0]).toBe('node')
    expect(fs.existsSync(image?.healthCommand[1] ?? '')).toBe(true)
    expect(image?.ports).toEqual([image?.environment.PORT])
  })
})

describe('.dockerignore', () => {
  test.each([
    'node_modules/next/package.json',
    'sandbox/node_modules/hono/package.json',
    '.data/secrets.json',
    '.next/BUILD_ID',
    'ops/rampart.env',
    'ops/.env',
    'ops/tls/dash.key',
    'bin/build.test.ts',
    '.git/config',
  ])('keeps out %s', (file) => expect(ignored(file)).toBe(true))

  test.each(['bin/build.ts', 'lib/platform/env.ts', 'ops/healthcheck.mjs', 'package-lock.json', '.npmrc'])(
    'lets in %s',
    (file) => expect(ignored(file)).toBe(false),
  )
})

test.each([
  ['FROM a\nRUN --mount=type=cache npm ci', /cannot be read/],
  ['FROM a\nADD b c', /knowledge of ADD/],
  ['FROM a\nCOPY b* c', /cannot be read/],
  ['COPY a b', /before FROM/],
])('an instruction that would be done otherwise is refused: %j', (text, why) =>
  expect(() => parseDockerfile(text)).toThrow(why),
)
