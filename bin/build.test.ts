import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { identityOf, tightMemory } from './build.ts'

test('the identity of a build follows from its sources: another digest, another id and another key', () => {
  const [one, same, other] = ['a', 'a', 'b'].map((letter) => identityOf(letter.repeat(64)))
  expect(same).toEqual(one)
  expect(other?.RAMPART_BUILD_ID).not.toBe(one?.RAMPART_BUILD_ID)
  expect(other?.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY).not.toBe(one?.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY)
  expect(Buffer.from(one?.NEXT_SERVER_ACTIONS_ENCRYPTION_KEY ?? '', 'base64')).toHaveLength(32)
})

test('a machine or a container with too little memory is told so before a build crawls', () => {
  const gigabyte = 2 ** 30
  expect(tightMemory(gigabyte)).toContain('1024 MB of memory here, and a build needs about 2 GB')
  // A machine of 2 GB reports a little less.
  for (const enough of [1.9 * gigabyte, Number.POSITIVE_INFINITY]) expect(tightMemory(enough)).toBeNull()
})

test('no function of a component is an action, nor cached: the key of actions, which is no secret, would protect it', () => {
  const files = globSync('{app,components,lib}/**/*.{ts,tsx}').filter((file) => !file.includes('.test.'))
  // The directive at the head of a file makes actions of its exports, and such an action closes over nothing.
  const inside = files.filter((file) => /['"]use (server|cache)\b/.test(readFileSync(file, 'utf8').slice(1)))
  expect(files.length).toBeGreaterThan(800)
  expect(inside).toEqual([])
})
