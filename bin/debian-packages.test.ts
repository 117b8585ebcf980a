import fs from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { unpackDebianPackages } from './debian-packages.ts'

const { PATH } = process.env
afterEach(() => {
  process.env.PATH = PATH
})

test('answers null where there is no apt, and leaves nothing behind', async () => {
  process.env.PATH = ''
  expect(await unpackDebianPackages('no-such-package')).toBe(null)
  expect(fs.readdirSync('node_modules/.cache/debian').filter((name) => name.startsWith('no-such'))).toEqual(
    [],
  )
})
