import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { ServiceError, serviceRefusal } from '#lib/service/errors.ts'
import { inRouter } from '../../../test/in-router.ts'
import { EndpointsShown } from './endpoints-shown.tsx'

type Given = Parameters<typeof EndpointsShown>[0]

const answer = serviceRefusal(new ServiceError('GET /x', { code: 'timed-out' }), 'list-endpoints')
const keyFault = {
  keyId: 'k1',
  kind: 'changed',
  since: '2026-02-01T10:00:00.000Z',
  receivers: 1,
  deferred: 0,
} as const

/** The result has the open callouts, and the collapsed rest. */
function rendered(keyFaults: Given['keyFaults']) {
  const shown = createElement(EndpointsShown, { answer, keyFaults, gaps: [], status: null, actions: null })
  const children = inRouter(shown)
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  const folded = /<details.*<\/details>/s.exec(html)?.[0] ?? ''
  const open = html.replace(folded, '')
  return { boxes: open.match(/role="(alert|note)"/g)?.length, open, folded }
}

it('says in one callout that the endpoints could not be read, with a retry button below', () => {
  const { boxes, open } = rendered([])
  expect(boxes).toBe(1)
  expect(open).toMatch(/role="alert".*The endpoints could not be read.*Try again in a minute.*<\/section>/)
  expect(open.match(/>Try again</g)).toHaveLength(1)
})

it('shows one callout when another error is worse, and keeps the retry button', () => {
  const { boxes, open, folded } = rendered([keyFault])
  expect(boxes).toBe(1)
  expect(open).toContain('Deliveries cannot be checked')
  expect(folded).toContain('The endpoints could not be read.')
  expect(open).toContain('>Try again<')
})
