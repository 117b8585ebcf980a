import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { type RefusalReason, refusalReasons } from '#lib/deliveries/rules/refusal-reasons.ts'
import { RefusedDeliveries } from './endpoint-alerts.tsx'

const shown = (why: string) => {
  const reasons = [{ why: why as RefusalReason, count: 3 }]
  const receiver = {
    id: 'r',
    state: 'active',
    lastDeliveryAt: null,
    refused: 3,
    refusedSince: null,
    reasons,
  } as const
  return renderToStaticMarkup(createElement(RefusedDeliveries, { receiver }))
}

it('says after a rotation what can be done here', () => {
  expect(shown('secret-not-known-yet')).toContain('If it goes on: repair the endpoint, or rotate its secret')
})

it('distinguishes a header that a proxy removes from another secret, and advises no rotation', () => {
  expect(shown('no-authorization')).toContain('3 came without Authorization')
  expect(shown('other-scheme')).toContain('3 carried another Authorization than API-Key')
  for (const why of ['no-authorization', 'other-scheme']) {
    expect(shown(why)).toMatch(/proxy in front of this dashboard/)
    expect(shown(why)).not.toMatch(/another secret|rotate|repair/i)
  }
})

it('does not link to the page that is open', () => {
  for (const why of Object.keys(refusalReasons)) expect(shown(why)).not.toMatch(/open the endpoint/i)
})
