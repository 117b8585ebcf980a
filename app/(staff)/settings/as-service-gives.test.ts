import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { AsServiceGives } from './as-service-gives.tsx'

type Given = Parameters<typeof AsServiceGives>[0]

const next = 'The provider did not answer in time. Try again in a minute.'
const refused = (what: string) => ({ kind: 'refused', title: `${what} could not be read.`, next }) as const
const rendered = (given: Given) => renderToStaticMarkup(createElement(AsServiceGives, given))

it('leaves the only callout to the page’s alerts while the service does not answer', () => {
  const html = rendered({ configuration: refused('The configuration'), countries: refused('The countries') })
  expect(html).not.toMatch(/role="(alert|note)"/)
  // Both have one cause.
  expect(html.replaceAll(/<[^>]*>/g, '')).toBe(
    `The configuration could not be read. The countries could not be read. ${next}`,
  )
})

it('names what is missing beside what was answered', () => {
  const value = [{ code: 'ES', name: 'Spain', individuals: true }]
  const html = rendered({
    configuration: refused('The configuration'),
    countries: { kind: 'answered', value, ms: 1 },
  })
  expect(html).not.toMatch(/role="(alert|note)"/)
  expect(html).toContain('Spain')
  expect(html).toContain(`The configuration could not be read. ${next}`)
})
