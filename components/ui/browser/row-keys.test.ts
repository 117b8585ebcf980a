import fs from 'node:fs'
import { expect, it } from 'vitest'
import { isComposing } from './row-keys.tsx'

it.each([
  [true, 13, true],
  [false, 229, true],
  [false, 13, false],
])('knows the keys of an input method (composing: %s, number %i)', (composing, keyCode, belongs) => {
  expect(isComposing({ isComposing: composing, keyCode })).toBe(belongs)
})

const root = `${import.meta.dirname}/../../../`

const sources = ['app', 'components'].flatMap((folder) =>
  fs
    .readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
    .map((file) => fs.readFileSync(`${root}${folder}/${file}`, 'utf8')),
)

it('leaves the keys of an input method to it, wherever a page hears keys', () => {
  const hearing = sources.flatMap((text) => text.match(handler) ?? [])
  expect(hearing.length).toBeGreaterThanOrEqual(10)
  for (const text of hearing) expect(text).toMatch(/isComposing\(|isTyping\(/)
})

it('leaves Escape to an input method in every dialog', () => {
  const dialogs = sources.filter((text) => text.includes("from 'radix-ui'") && /<\w+\.Content\b/.test(text))
  expect(dialogs.length).toBeGreaterThanOrEqual(2)
  for (const text of dialogs) expect(text).toMatch(/onEscapeKeyDown=\{\(event\) =>[^}]*isComposing\(event\)/)
})

/** A handler of keys begins like this. */
const handler = /(?:onKeyDown=\{\(|const on(?:Key|KeyDown|Escape) = )[\s\S]{0,300}/g
