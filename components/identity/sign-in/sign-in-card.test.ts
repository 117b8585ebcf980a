import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { demoPeople } from '#lib/operations/demo/load-demo.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { DemoPeople } from './sign-in-card.tsx'

it('offers every demo person', () => {
  const code = JSON.parse('{}')
  const children = createElement(DemoPeople, { code, sandboxUrl: 'http://localhost:4010' })
  const spoken = { language: 'en', messages: clientMessages('en', ['ui', 'signIn']), children } as const
  const html = renderToStaticMarkup(createElement(WordsProvider, spoken))
  for (const { email } of demoPeople) expect(html).toContain(`>${email}<`)
})
