import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/** Hexadecimal digits have no letter that depends on the language. An index uses these expressions. */
const ofHexadecimals = /lower\((target_address|address|\$2|filter ->> 'user')\)/g

test('no statement changes case by the language of the database', () => {
  const files = fs.globSync('lib/**/*.ts', { cwd: path.resolve(import.meta.dirname, '../../..') })
  const found = files.filter((file) => {
    if (/\.test\.ts$|generated|statements\.ts$/.test(file)) return false
    const text = fs.readFileSync(path.resolve(import.meta.dirname, '../../..', file), 'utf8')
    return /\b(lower|upper|initcap)\(|\bILIKE\b/.test(text.replaceAll(ofHexadecimals, ''))
  })
  expect(files.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})
