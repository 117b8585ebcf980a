import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { declaredNames } from './exported-names.ts'

const root = path.join(import.meta.dirname, '..')

/** Next looks for these names in its own files. */
const nextFile =
  /^app\/(.*\/)?(page|layout|route|loading|error|not-found|forbidden|unauthorized|robots|icon)\.tsx?$/
const nextNames = new Set([
  'metadata',
  'viewport',
  'dynamic',
  'generateMetadata',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
])

test('no two modules export one name, so that a name alone finds its thing', () => {
  const files = globSync('{lib,app,components}/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !file.includes('.test.') && !file.startsWith('lib/platform/db/generated/'),
  )
  const declared = files.flatMap((file) => namesOf(file).map((name) => ({ name, file })))
  expect(declared.length).toBeGreaterThan(1000)
  const twice = [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`)
  expect(twice).toEqual([])
})

/** A value and its type share a name, and count once. */
function namesOf(file: string): string[] {
  const names = new Set(declaredNames(readFileSync(path.join(root, file), 'utf8')))
  return [...names].filter((name) => !(nextFile.test(file) && nextNames.has(name)))
}
