import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = path.dirname(import.meta.dirname)

/** A reader would have to learn these words; the value is the term that says the same. */
const terms: ReadonlyMap<string, string> = new Map([
  ['look', 'attention, check or scan'],
  ['looks', 'attention items, checks or variants'],
  ['looked', 'checked or scanned'],
  ['calm', 'stable or quiet'],
  ['unworded', 'unknown type'],
  ['told', 'reported'],
  ['lone', 'single'],
  ['sifted', 'scanned'],
  ['mute', 'snooze'],
  ['muted', 'snoozed'],
])

/** These names are stored, are part of an address, or are the usual words (`lookUp`). */
const allowed: ReadonlySet<string> = new Set([
  'lookUp',
  'lookedUp',
  'lookBackMs',
  'lookAlike',
  'looksLike',
  'looksLikeAmount',
  'overview_mute',
])
/** `service-state` is stored with `look` and `lookedAt`, filters in addresses have `look`, catalogues have `told`. */
const stored = /^(look|lookedAt|told|ToldKey|toldKeys|isTold)$/
const storedIn =
  /service-(state|key|alert)|outages|watcher|probes|export-standings|status|health|(accounts|companies|overview|users)\/|entry-labels|words\/|event-answers/

const words = (name: string) =>
  (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase())

/** Parsing takes longest, and most files have none of the words. */
const anyTerm = new RegExp([...terms.keys()].join('|'), 'i')

function privateNames(file: string, text: string): string[] {
  if (!anyTerm.test(text)) return []
  const found: string[] = []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const visit = (node: ts.Node): void => {
    const name = 'name' in node ? (node.name as ts.Node | undefined) : undefined
    if (name && ts.isIdentifier(name) && isDeclared(node) && !allowed.has(name.text)) {
      const isStored = stored.test(name.text) && storedIn.test(file)
      const term = words(name.text).find((word) => terms.has(word))
      if (term && !isStored) found.push(`${file}: ${name.text} (say ${terms.get(term)})`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
const isDeclared = (node: ts.Node) =>
  !ts.isPropertyAccessExpression(node) && !ts.isJsxAttribute(node) && !ts.isImportSpecifier(node)

test('no declared name has a private word', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !file.includes('/generated/') && fs.existsSync(path.join(root, file)))
  expect(files.length).toBeGreaterThan(1_000)
  expect(files.flatMap((file) => privateNames(file, fs.readFileSync(path.join(root, file), 'utf8')))).toEqual(
    [],
  )
})

test('finds private words within a name', () => {
  expect(
    privateNames('a.ts', 'const isSifted = 1, folded = 2; interface CalmTable { readonly toldTo: 1 }'),
  ).toEqual([
    'a.ts: isSifted (say scanned)',
    'a.ts: CalmTable (say stable or quiet)',
    'a.ts: toldTo (say reported)',
  ])
})
