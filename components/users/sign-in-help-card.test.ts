import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { SignInHelp } from '#lib/people/read-sign-in-help.ts'
import { clientMessages } from '#lib/words/client-messages.ts'
import { WordsProvider } from '../browser/words.tsx'
import { SignInHelpCard } from './sign-in-help-card.tsx'

const at = '2026-02-01T00:33:58.000Z'
const help: SignInHelp = {
  codes: [],
  waits: { knownBrowsers: null, strangers: null, strangersTyping: null },
  codeSentAt: null,
  strangersStoppedAt: null,
  signUpWallet: null,
  bounce: null,
  sessions: [
    {
      id: '1',
      method: 'code',
      startedAt: at,
      lastSeenAt: at,
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ended: null,
    },
  ],
}

it('names the browser of a sign-in in words', () => {
  const children = createElement(SignInHelpCard, { userUuid: 'u', help, end: null })
  const html = renderToStaticMarkup(
    createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
  )
  expect(html).toContain('>Open, Firefox on Linux<')
  expect(html).not.toContain('Mozilla')
})
