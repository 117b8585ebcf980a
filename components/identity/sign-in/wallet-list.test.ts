import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { languages } from '#lib/platform/rules/language.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { WalletList } from './wallet-list.tsx'

const ignore = () => {}

/** A browser without a wallet has two paragraphs: one for large screens and one for phones. */
function adviceIn(language: (typeof languages)[number], offered: boolean): readonly string[] {
  const children = createElement(WalletList, {
    wallets: [],
    expected: false,
    connecting: null,
    failure: null,
    onConnect: ignore,
    onCancel: ignore,
    throwAway: {
      offered: false,
      opening: false,
      known: null,
      signer: null,
      refusal: null,
      open: ignore,
      openNew: ignore,
      leave: ignore,
    },
    walletConnect: {
      offered,
      state: 'closed',
      uri: null,
      signer: null,
      failure: null,
      open: ignore,
      leave: ignore,
      end: ignore,
    },
    onUseCode: ignore,
  })
  const messages = clientMessages(language, ['signIn'])
  const html = renderToStaticMarkup(createElement(WordsProvider, { language, messages, children }))
  return html.match(/(?<=<p[^>]*>)[^<]+/g) ?? []
}

it.each(languages)(
  'in %s: where no wallet was found, names WalletConnect only where it is offered',
  (language) => {
    const [offered, absent] = [adviceIn(language, true), adviceIn(language, false)]
    expect(offered).toHaveLength(2)
    expect(absent).toHaveLength(2)
    for (const advice of offered) expect(advice).toContain('WalletConnect')
    for (const advice of absent) expect(advice).not.toContain('WalletConnect')
    for (const advice of [...offered, ...absent]) expect(advice).toMatch(/code|código/i)
  },
)
