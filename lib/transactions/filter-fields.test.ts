import { expect, it } from 'vitest'
import { z } from 'zod'
import { filterFields, filtersIn, matchOf } from './filters.ts'

const schema = z.object(filterFields).transform((texts, { issues }) => matchOf(texts, issues))

it('reads filters that were sent, and leaves out what is no filter', () => {
  const sent = { step: 'ON_HOLD', currency: 'eur', cursor: 'x' }
  expect(schema.parse(sent)).toMatchObject({ step: 'ON_HOLD', currency: 'EUR' })
  expect(filtersIn({ step: 'ON_HOLD', chain: null, user: undefined })).toEqual({ step: 'ON_HOLD' })
})

it.each([
  [{ min: 'abc' }, 'min'],
  [{ user: 'ana@demo.test' }, 'user'],
  [{ flags: 'none' }, 'flags'],
  [{ from: '2026-11-22', to: '2026-11-21' }, 'to'],
  [{ step: 'x'.repeat(501) }, 'step'],
])('%j is refused by the name of the filter', (sent, name) => {
  const { error, data } = schema.safeParse(sent)
  expect(data).toBeUndefined()
  expect(error?.issues.map(({ path }) => path)).toEqual([[name]])
  expect(error?.issues[0]?.message).toMatch(/\w+ \w+/)
})
