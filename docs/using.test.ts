import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.dirname(import.meta.dirname)
const page = quiet(fs.readFileSync(path.join(root, 'docs/using.md'), 'utf8'))
const quoted = [...new Set([...page.matchAll(/“([^”]+)”/g)].map(([, words = '']) => words))]

test('docs/using.md quotes what the product says', () => {
  expect(quoted.length).toBeGreaterThan(60)
  const sources = fs
    .globSync('{app,components,lib/*/{labels,messages,rules}}/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !file.includes('.test.'))
    .map((file) => quiet(fs.readFileSync(path.join(root, file), 'utf8').replaceAll("{' '}", '')))
  const unsaid = quoted.flatMap((words) =>
    // Dots stand for what differs from case to case.
    words
      .split('…')
      .map((part) => part.trim())
      .filter((part) => !sources.some((source) => source.includes(part))),
  )
  expect(unsaid).toEqual([])
})

/** Without the breaks of lines, which mean nothing in a sentence. */
function quiet(text: string): string {
  return text.replace(/\s+/g, ' ')
}
