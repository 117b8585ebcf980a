import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.dirname(import.meta.dirname)
const page = fs.readFileSync(path.join(root, 'docs/troubleshooting.md'), 'utf8')
const [, table = ''] = /^\| it says \|.*\n\|.*\n((?:\|.*\n)+)/m.exec(page) ?? []
const said = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, words = '']) => words)
const quoted = [...page.matchAll(/“([^”]+)”/g)].map(([, words = '']) => words)

test('docs/troubleshooting.md quotes what Rampart says', () => {
  expect(said.length).toBeGreaterThan(7)
  expect(quoted.length).toBeGreaterThan(3)
  const sources = fs
    .globSync('{app,bin,components,lib}/**/*.{mjs,ts,tsx}', { cwd: root })
    .filter((file) => !file.includes('.test.'))
    .map((file) => fs.readFileSync(path.join(root, file), 'utf8'))
  const unsaid = [...said, ...quoted].filter((words) => {
    // Dots stand for what differs from case to case.
    const parts = words.split('…').map((part) => part.trim())
    return !sources.some((source) => parts.every((part) => source.includes(part)))
  })
  expect(unsaid).toEqual([])
})
