import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { clientMessages } from '#lib/words/sentences.ts'
import { inRouter } from '../../test/in-router.ts'
import { PersonProfile } from './person-profile.tsx'

function shown(hasMoreWallets: boolean) {
  const details = {
    userUuid: 'u',
    isCompany: false,
    person: null,
    profile: { kind: 'unknown' },
    wallets: ['0x1', '0x2'].map((address) => ({
      address,
      signsIn: false,
      created: address === '0x1',
      used: true,
    })),
    hasMoreWallets,
    accounts: [],
    standings: [],
    companies: [],
    people: [],
    signIn: null,
  } as const
  const children = createElement(PersonProfile, { details, reveal: null })
  return renderToStaticMarkup(
    inRouter(
      createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
    ),
  )
}

it('says that a person has more wallets than the list, and links to what names them', () => {
  expect(shown(false)).not.toContain('The latest')
  expect(shown(true)).toContain('The latest 2.')
  expect(shown(true)).toContain('href="/transactions?user=u"')
})

it('shows the source of each wallet', () => {
  const text = shown(false).replaceAll(/<[^>]+>/g, '')
  expect(text).toMatch(/0x1.*created, used in transactions.*0x2.*used in transactions/)
})
