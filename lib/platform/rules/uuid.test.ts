import { expect, it } from 'vitest'
import { isLowerCaseUuid, isUuid } from './ids.ts'

it.each([
  ['3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a5968', true, true],
  ['00000000-0000-0000-0000-000000000000', true, true],
  ['3F2C1B1E-7A44-4C43-9A4F-1D2C3B4A5968', true, false],
  ['3f2c1b1e7a444c439a4f1d2c3b4a5968', false, false],
  ['3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a5968\n', false, false],
  ['3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a59689', false, false],
  ['x3f2c1b1e-7a44-4c43-9a4f-1d2c3b4a5968', false, false],
  ['', false, false],
])('%j: a uuid %j, one in lower case %j', (text, any, lower) => {
  expect([isUuid(text), isLowerCaseUuid(text)]).toEqual([any, lower])
})
