import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const project = path.join(import.meta.dirname, '..')

test('weights, radii and sizes of text have names in globals.css: no class says one in brackets', () => {
  const files = globSync('{app,components}/**/*.{ts,tsx}', { cwd: project })
  const found = files.flatMap((file) =>
    (
      readFileSync(path.join(project, file), 'utf8').match(/\b(font|text|rounded(-\w+)?)-\[[^\]]*\]/g) ?? []
    ).map((name) => `${file}: ${name}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
