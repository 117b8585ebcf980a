import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { SignInHelp } from '#lib/people/get-person.ts'
import { clientMessages } from '#lib/words/sentences.ts'
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

function shown(of: SignInHelp) {
  const children = createElement(SignInHelpCard, { userUuid: 'u', help: of, end: null })
  return renderToStaticMarkup(
    createElement(WordsProvider, { language: 'en', messages: clientMessages('en', ['ui']), children }),
  )
}

it('names the browser of a sign-in in words', () => {
  const html = shown(help)
  expect(html).toContain('>Open, Firefox on Linux<')
  expect(html).not.toContain('Mozilla')
})

it('leaves a present bounce and strangers to the page’s alerts, and keeps past ones', () => {
  const bounce = { at, lasts: true, failureType: 'Permanent', diagnosticCode: null }
  const waits = { ...help.waits, strangersTyping: '2026-02-03T00:00:00.000Z' }
  const now = shown({ ...help, bounce, strangersStoppedAt: at, waits })
  expect(now).not.toMatch(/role="(?:alert|note)"|Permanent|Strangers/)
  const over = shown({
    ...help,
    bounce: { ...bounce, lasts: false },
    strangersStoppedAt: at,
  })
  expect(over).toMatch(/Latest bounce.*Permanent.*Unknown browsers blocked/)
})
