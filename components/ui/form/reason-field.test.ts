import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { RevealReasonSchema } from '#lib/transactions/reveal/reveal.ts'
import { ReasonField } from './reason-field.tsx'

const problemsOf = (schema: typeof ReasonSchema | typeof RevealReasonSchema, text: unknown) =>
  schema.safeParse(text).error?.issues.map(({ message }) => message) ?? []

it('says before a reason is sent how short it may be', () => {
  const html = renderToStaticMarkup(createElement(ReasonField, { error: null }))
  expect(html).toContain('At least 3 characters.')
  expect(html).toContain('minLength="3"')
})

it.each(['', 'x', 'xy', '  xy  ', null])('refuses the reason %j, and says how long it must be', (text) => {
  expect(problemsOf(ReasonSchema, text)).toEqual([expect.stringContaining('At least 3 characters.')])
})

it.each(['x', '  '])('says the same of the reason %j for a reveal', (text) => {
  expect(problemsOf(RevealReasonSchema, text)).toEqual([expect.stringContaining('At least 3 characters.')])
})

it('takes a reason of three characters, and of none for a reveal that asks for none', () => {
  expect(ReasonSchema.parse(' try ')).toBe('try')
  for (const none of ['', undefined]) expect(problemsOf(RevealReasonSchema, none)).toEqual([])
})
