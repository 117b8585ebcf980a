/** The extent says how much of a part runs: all of it, only the tests that import what changed, or nothing. */
export type Extent = 'all' | 'importers' | 'none'

export type Part =
  | 'lint'
  | 'types'
  | 'boundaries'
  | 'schema'
  | 'unit'
  | 'integration'
  | 'build'
  | 'built'
  | 'e2e'
  | 'prove'

const isTest = /\.(test|spec)\.tsx?$/
/** The product is Rampart as it runs: pages, processes, commands, tables, packages. */
const product =
  /^((app|components|lib|sandbox|public|prisma|bin)\/|(server|projector|live)\.ts$|(next|postcss)\.config\.mjs$|(tsconfig|package|package-lock)\.json$)/
/** Tests start these as programs or read them from disk, so no import leads from a test to them. */
const notImported =
  /^((sandbox|bin|prisma|lint|test\/data)\/|(server|projector|live)\.ts$|test\/[\w-]+-process\.ts$|[\w.-]+$)/

/** The result says how much of each part of `npm test` a change of these files can affect. */
export function findAffected(files: readonly string[]): Readonly<Record<Part, Extent>> {
  const code = files.filter((file) => !file.endsWith('.md') && !file.startsWith('docs/'))
  const any = (pattern: RegExp) => code.some((file) => pattern.test(file) && !isTest.test(file))
  const ships = any(product)
  const onlyIf = (one: boolean): Extent => (one ? 'all' : 'none')
  const importersIf = (one: boolean): Extent => (one ? 'importers' : 'none')
  return {
    lint: onlyIf(files.length > 0),
    types: onlyIf(code.length > 0),
    boundaries: onlyIf(code.length > 0),
    schema: onlyIf(any(/^(prisma|package|lib\/platform\/db\/generated\/)/)),
    // Many of these tests read documents and sources as text.
    unit: onlyIf(files.length > 0),
    integration: any(notImported) ? 'all' : importersIf(code.length > 0),
    build: onlyIf(ships),
    built: onlyIf(ships || any(/^test\//) || code.some((file) => file.endsWith('.built.test.ts'))),
    e2e: ships ? 'all' : importersIf(code.some((file) => /^(e2e|test)\//.test(file))),
    prove: onlyIf(ships || any(/^(ops|proofs\/(prove|bench|packaging))\//)),
  }
}
