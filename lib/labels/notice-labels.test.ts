import { expect, it } from 'vitest'
import { nothingToSee } from '#lib/domain/text/visible-text.ts'
import { noticeSentence } from './notice-labels.ts'

it('a notice turns nothing beside a name', () => {
  const facts = { endpoint: 'Shop\u202e', to: 'https://example.com' }
  const [rlo, blank] = [
    noticeSentence('endpoint-changed', 'Ana\u202e', facts),
    noticeSentence('endpoint-changed', '\u3164', facts),
  ]
  expect(rlo).toBe('Ana changed the endpoint “Shop”. It delivers to: https://example.com.')
  expect(blank).toContain(nothingToSee)
})
