import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const project = path.join(import.meta.dirname, '..')

test('weights, radii and sizes of text have names in tokens.css: no class says one in brackets', () => {
  const files = globSync('{app,components}/**/*.{ts,tsx}', { cwd: project })
  const found = files.flatMap((file) =>
    (
      readFileSync(path.join(project, file), 'utf8').match(/\b(font|text|rounded(-\w+)?)-\[[^\]]*\]/g) ?? []
    ).map((name) => `${file}: ${name}`),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})

test('elements with text grow with it: no class gives a height, a width or a column in pixels', () => {
  const files = globSync('{app,components}/**/*.{ts,tsx}', { cwd: project })
  const found = files.flatMap((file) =>
    (
      readFileSync(path.join(project, file), 'utf8').match(
        /\b(?:(?:min-|max-)?[hw]|size|basis|grid-cols)-\[[^\]]*\d{2,}px[^\]]*\]/g,
      ) ?? []
    ).map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

test('the sandbox’s console uses the dashboard’s colours for the same things', () => {
  const dashboard = readFileSync(path.join(project, 'app/tokens.css'), 'utf8')
  const console = readFileSync(path.join(project, 'sandbox/console/assets.ts'), 'utf8')
  const [light = '', dark = ''] = console.split('@media (prefers-color-scheme: dark)')
  const ours = new Map(
    [...dashboard.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name = '', ...pair]) => [
      name,
      pair,
    ]),
  )
  const theirs = (part: string) =>
    new Map(part.matchAll(/--([\w-]+):(#\w+)/g).map(([, name = '', value = '']) => [name, value]))
  const whole = (colour: string | undefined) => colour?.replace(/^#(\w)(\w)(\w)$/, '#$1$1$2$2$3$3')
  const [inLight, inDark] = [theirs(light), theirs(dark)]
  expect(inLight.size).toBeGreaterThan(20)
  for (const [name, value] of inLight)
    expect([whole(value), whole(inDark.get(name))], name).toEqual(ours.get(name))
})
