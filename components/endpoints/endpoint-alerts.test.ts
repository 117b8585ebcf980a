import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { AlertSlot } from '#components/ui/shared/alert-slot.tsx'
import { clientMessages } from '#lib/words/sentences.ts'
import { endpointView } from '../../test/endpoint-view.ts'
import { inRouter } from '../../test/in-router.ts'
import { EndpointActionButtons } from './endpoint-action-buttons.tsx'
import { endpointAlerts, type MissingHere } from './endpoint-alerts.tsx'

const buttons = { repair: null, confirm: null }
const open: MissingHere = { words: 'What its gap says.', actions: null, isSettled: false }
const settled: MissingHere = { ...open, isSettled: true }

function alertOf(status: string, missing: MissingHere | null) {
  const [alert] = endpointAlerts(endpointView('e-1', { status }), { buttons, missing, sandboxUrl: null })
  const children = alert?.shown
  const html = renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
  return {
    kind: alert?.kind,
    shownAs: /data-tone="(\w+)"/.exec(html)?.[1],
    text: html.replaceAll(/<[^>]+>/g, ''),
  }
}

it.each([
  ['auto_disabled', null, 'error', 'fail'],
  ['auto_disabled', open, 'error', 'fail'],
  ['auto_disabled', settled, 'warning', 'held'],
  ['disabled', null, 'info', 'wait'],
  ['disabled', open, 'warning', 'held'],
  ['disabled', settled, 'info', 'wait'],
] as const)('is as loud as what is missing: %s, %j: %s', (status, missing, kind, shownAs) => {
  expect(alertOf(status, missing)).toMatchObject({ kind, shownAs })
})

it('mentions missing deliveries only when the gap says nothing yet', () => {
  expect(alertOf('auto_disabled', null).text).toContain('Deliveries may be missing since then.')
  for (const missing of [open, settled]) {
    const { text } = alertOf('auto_disabled', missing)
    expect(text).toContain('What its gap says.')
    expect(text).not.toContain('may be missing')
  }
})

function html(shown: ReactNode) {
  const children = inRouter(shown)
  const messages = clientMessages('en', ['ui'])
  return renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages, children }))
}

const refusing = {
  id: null,
  state: 'active' as const,
  lastDeliveryAt: null,
  refused: 9,
  refusedSince: null,
  reasons: [{ why: 'too-large' as const, count: 9 }],
}

it.each([
  ['disabled', 'This endpoint is disabled.'],
  ['auto_disabled', 'The provider switched this endpoint off.'],
  ['paused', 'Its status at the provider: paused.'],
])(
  'says first that it is %s, whatever else there is, and has the way to activate it in the header',
  (status, title) => {
    const endpoint = endpointView('e-1', {
      status,
      shownAt: '2026-11-20T02:10:00.000Z',
      repair: 'no-secret',
      replacedBy: 'e-2',
      receiver: refusing,
    })
    const alerts = endpointAlerts(endpoint, { buttons, missing: null, sandboxUrl: null })
    const slot = html(createElement(AlertSlot, { alerts }))
    expect(slot).toMatch(/\+4 more/)
    expect(slot.split('<details')[0]).toContain(title)
    expect(header(status)).toContain('>Activate…')
    expect(header('active')).not.toContain('Activate')
  },
)

const never = () => Promise.resolve({ kind: 'idle' as const })

const header = (status: string) =>
  html(
    createElement(EndpointActionButtons, {
      endpoint: endpointView('e-1', { status }),
      actions: {
        change: never,
        setStatus: never,
        rotate: never,
        repair: never,
        remove: never,
        replace: never,
        finish: never,
        check: never,
        confirm: never,
      },
      sandbox: true,
      without: { grave: false, sentence: '' },
    }),
  )

it('of a disabled endpoint elsewhere says that deliveries fail there, and whom to ask', () => {
  const switchedOff = (ours: boolean) =>
    html(
      endpointAlerts(endpointView('e-1', { status: 'auto_disabled', ours }), {
        buttons,
        missing: null,
        sandboxUrl: null,
      })[0]?.shown,
    )
  expect(switchedOff(false)).toMatch(/Deliveries fail there, .*: ask its operator\./)
  expect(switchedOff(false)).toContain('Copy for its operator')
  expect(switchedOff(true)).not.toContain('operator')
})
