import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { RevealReasonSchema } from '#lib/transactions/reveal/reveal.ts'
import { ReasonField } from './reason-field.tsx'

const problemsOf = (schema: typeof ReasonSchema | typeof RevealReasonSchema, text: unknown) =>
  schema.safeParse(text).error?.issues.map(({ message }) => message) ?? []

it('shows the minimum length before a reason is sent', () => {
  const html = renderToStaticMarkup(createElement(ReasonField, { error: null }))
  expect(html).toContain('3+ characters')
  expect(html).toContain('minLength="3"')
})

it.each(['', 'x', 'xy', '  xy  ', null])('refuses the reason %j, and shows the minimum length', (text) => {
  expect(problemsOf(ReasonSchema, text)).toEqual([expect.stringContaining('3+ characters')])
})

it.each(['x', '  '])('refuses the reason %j for a reveal in the same way', (text) => {
  expect(problemsOf(RevealReasonSchema, text)).toEqual([expect.stringContaining('3+ characters')])
})

it('accepts a reason of three characters, and none for a reveal that needs none', () => {
  expect(ReasonSchema.parse(' try ')).toBe('try')
  for (const none of ['', undefined]) expect(problemsOf(RevealReasonSchema, none)).toEqual([])
})
