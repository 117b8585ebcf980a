import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const project = path.join(import.meta.dirname, '../..')

test('the page /design shows every piece of components/ui', () => {
  const shown = ['pieces.tsx', 'form-pieces.tsx']
    .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
    .join()
  const pieces = globSync('components/ui/*.tsx', { cwd: project }).map((file) => path.basename(file))
  expect(pieces.length).toBeGreaterThan(20)
  // Another piece loads this one when it is opened.
  const loaded = globSync('components/ui/*.tsx', { cwd: project })
    .map((file) => readFileSync(path.join(project, file), 'utf8'))
    .join()
  const isShown = (piece: string) =>
    shown.includes(`'#components/ui/${piece}'`) || loaded.includes(`import('./${piece}')`)
  expect(pieces.filter((piece) => !isShown(piece))).toEqual([])
})
