import { expect, it } from 'vitest'
import { freshForms } from '../e2e/fresh-forms.ts'
import { sensitive } from './sensitive-actions.ts'

it('every action that wants a fresh sign-in has a form that the browser test opens', () => {
  expect(Object.keys(freshForms).toSorted()).toEqual(Object.keys(sensitive).toSorted())
})
