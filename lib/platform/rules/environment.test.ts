import { expect, it } from 'vitest'
import { environmentOf } from './environment.ts'

it.each([
  ['https://api.sandbox.example.com/onboarding', 'Sandbox'],
  ['https://sandbox-api.example.com/', 'Sandbox'],
  ['https://api.example.com/uat/onboarding', 'Uat'],
  ['https://staging.example.com', 'Staging'],
  ['https://api.example.com/onboarding', undefined],
  ['https://contest.example.com/latest', undefined],
  ['https://sandboxes.example.com', undefined],
])('%s is shown as %s', (address, name) => {
  expect(environmentOf(new URL(address), undefined, undefined)?.name).toBe(name)
})

it('is what the operator says, in the colour that the operator wants', () => {
  const service = new URL('https://api.sandbox.example.com')
  expect(environmentOf(service, 'Trial', undefined)).toEqual({ name: 'Trial', color: 'orange' })
  expect(environmentOf(service, 'Production', undefined)).toEqual({ name: 'Production', color: 'red' })
  expect(environmentOf(service, 'Production', 'green')).toEqual({ name: 'Production', color: 'green' })
})
