import { expect, it } from 'vitest'
import { nothingToSee } from '#lib/platform/rules/visible-text.ts'
import { noticeSentence } from './notice-labels.ts'

it.each([
  ['https://hooks.example.com/in?token=open-sesame', 'https://hooks.example.com/…?….'],
  ['https://user:open-sesame@hooks.example.com', 'https://hooks.example.com.'],
  ['the other one at https://hooks.example.com/open-sesame', 'the other one at https://hooks.example.com/….'],
  ['https://before.example/api/webhooks/…', 'https://before.example/api/webhooks/….'],
])('a notice shows no secret of an address: %s', (to, shown) => {
  expect(noticeSentence('endpoint-changed', 'Ana', { to })).toBe(
    `Ana changed an endpoint. It delivers to: ${shown}`,
  )
})

it.each(['\r\n', '\n\n', '\u2028', '\u2029', '\u0085', '\0'])(
  'a notice is one line, whatever a name holds: %j',
  (end) => {
    const sentence = noticeSentence('member-invited', `Ana${end}Open`, {
      member: `Bob${end}this`,
      role: `x${end}y`,
    })
    expect(sentence).toBe('Ana Open invited Bob this to the team as x y.')
    expect(noticeSentence(`of${end}later`, null, {})).toBe('Somebody: of later.')
  },
)

it('a notice turns nothing beside a name', () => {
  const facts = { endpoint: 'Shop\u202e', to: 'https://example.com' }
  const [rlo, blank] = [
    noticeSentence('endpoint-changed', 'Ana\u202e', facts),
    noticeSentence('endpoint-changed', '\u3164', facts),
  ]
  expect(rlo).toBe('Ana changed the endpoint “Shop”. It delivers to: https://example.com.')
  expect(blank).toContain(nothingToSee)
})
