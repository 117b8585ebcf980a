import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')

/** The comments of these folders and of the root files follow the rule; the list grows until it names every folder. */
const folders = [
  'app',
  'bin',
  'components',
  'e2e',
  'lib/access',
  'lib/audit',
  'lib/deliveries',
  'lib/endpoints',
  'lib/identity',
  'lib/live',
  'lib/operations',
  'lib/people',
  'lib/platform',
  'lib/search',
  'lib/service',
  'lib/timeline',
  'lib/transactions',
  'lib/words',
  'proofs',
  'sandbox',
  'test',
]

/** A comment is a sentence with a subject. These words begin one that has none, or hide it. */
const refused = /^(Of|As|By|Its|Those|In|What|Whether)\b/

/** A text without a match has no refused comment, so it need not be parsed, which takes most of the time. */
const perhapsRefused = /[/*]\s*(Of|As|By|Its|Those|In|What|Whether)\b/

test('no comment begins with a word that hides its subject', () => {
  const files = ['*.ts', ...folders.map((folder) => `${folder}/**/*.{ts,tsx}`)]
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !/(^|\/)(node_modules|dist|generated)\//.test(file))
  expect(files.length).toBeGreaterThan(10)
  const found = files.flatMap((file) =>
    refusedComments(readFileSync(path.join(root, file), 'utf8'), file).map((line) => `${file}:${line}`),
  )
  expect(found).toEqual([])
})

test.each([
  ['/** What the caller sees. */\nexport const a = 1', [1]],
  ['/**\n * By id.\n */\nexport const a = 1', [2]],
  ['/* Of the page. */', [1]],
  ['const a = 1 // Whether it is one', [1]],
  ['const a = {\n  // As the contract says.\n  b: 1,\n}', [2]],
  ['const a = <p>{/* Its own. */}</p>', [1]],
  ['const a = 1 // Its first\n// Those that follow', [1, 2]],
])('would be seen: %s', (text, lines) => {
  expect(refusedComments(text, 'a.tsx')).toEqual(lines)
})

test.each([
  '// The endpoint keeps its secret\n// In the database.',
  '/** Inner rows. */',
  "const a = '// What'",
  'const a = <p>// What</p>',
  'const a = /\\/\\/ What/',
  'const a = `// What`',
])('is allowed: %s', (text) => {
  expect(refusedComments(text, 'a.tsx')).toEqual([])
})

/** The lines on which a refused comment begins. A `//` line below another continues it, so it begins nothing. */
function refusedComments(text: string, file: string): number[] {
  if (!perhapsRefused.test(text)) return []
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const ranges = new Map<number, ts.CommentRange>()
  collect(source)
  const lines = text.split('\n')
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line
  return [...ranges.values()]
    .filter(({ pos }) => !(isWholeLine(lines[lineOf(pos)]) && isWholeLine(lines[lineOf(pos) - 1])))
    .flatMap(({ pos, end }) => {
      const comment = text.slice(pos, end)
      const opening = comment.match(/^\/[/*][\s*]*/)?.[0] ?? ''
      return refused.test(comment.slice(opening.length)) ? [lineOf(pos + opening.length) + 1] : []
    })
    .sort((one, other) => one - other)

  function collect(node: ts.Node): void {
    if (ts.isToken(node) && node.kind !== ts.SyntaxKind.JsxText)
      for (const range of [
        ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
        ...(ts.getTrailingCommentRanges(text, node.getFullStart()) ?? []),
      ])
        ranges.set(range.pos, range)
    for (const child of node.getChildren(source)) collect(child)
  }
}

const isWholeLine = (line: string | undefined) => line?.trimStart().startsWith('//') ?? false
