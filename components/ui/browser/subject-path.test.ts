import { expect, it } from 'vitest'
import { subjectPath } from './paths.ts'

const uuid = '0a1b2c3d-0000-4000-8000-000000000001'

it.each([
  ['transaction:t/1', '/transactions/t%2F1'],
  [`bank-account:${uuid}`, `/accounts/${uuid}`],
  [`entity:${uuid}`, `/users/${uuid}`],
  ['entity:a-name', '/timeline/entity%3Aa-name'],
  ['unknown:ab', '/timeline/unknown%3Aab'],
  ['odd', '/timeline/odd'],
])('%s has the page %s', (subject, path) => {
  expect(subjectPath(subject)).toBe(path)
})

it('a company has its page among companies, and one without a uuid its place in the timeline', () => {
  expect(subjectPath(`entity:${uuid}`, true)).toBe(`/companies/${uuid}`)
  expect(subjectPath('entity:a-name', true)).toBe('/timeline/entity%3Aa-name')
})
