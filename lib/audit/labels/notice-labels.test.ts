import { expect, it } from 'vitest'
import { permissionOfPage } from '#lib/access/rules/pages.ts'
import { may } from '#lib/access/rules/roles.ts'
import { noticeKinds, noticeSentence, pageOfNotice } from '#lib/audit/labels/notice-labels.ts'
import { nothingToSee } from '#lib/platform/rules/pasted-text.ts'

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

it.each(noticeKinds)('%s opens a page that admins may open, whatever it is about', (kind) => {
  for (const about of ['6f1b3a1e-4c56-4d0b-9a34-0c8c3a1f2b11', 'https://x.example/../…', null]) {
    const page = pageOfNotice(kind, about) ?? ''
    const permission = permissionOfPage(page.split('?')[0] ?? '')
    expect(permission && may('admin', permission), page).toBe(true)
    expect(page).not.toContain('x.example')
  }
})

it('a notice opens the record that it names', () => {
  const id = '6f1b3a1e-4c56-4d0b-9a34-0c8c3a1f2b11'
  expect(pageOfNotice('secret-rotated', id)).toBe(`/endpoints/${id}`)
  expect(pageOfNotice('data-revealed', id)).toBe(`/audit?about=${id}&action=read.`)
  expect(pageOfNotice('of-later', id)).toBeNull()
})
