import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { GapView } from '#lib/gaps/gap-view.ts'
import { WordsProvider } from '../browser/words.tsx'
import { gapOfTransactionAlerts } from './gap-of-transaction.tsx'

const gap: GapView = {
  id: 'g-1',
  kind: 'auto-disabled',
  endpoint: { uuid: 'e-1', name: 'Payments' },
  beganAt: '2026-11-20T02:10:00.000Z',
  endedAt: '2026-11-20T02:20:00.000Z',
  note: null,
  otherEndpoints: [],
  refused: 0,
  reasons: [],
  retries: null,
  closed: null,
}
const other = { uuid: 'e-2', name: 'All', deliveries: 8, exact: true, isFullSubstitute: true, hadGap: false }

const text = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children })).replaceAll(
    /<[^>]+>/g,
    '',
  )

it('says that deliveries may be missing where no other endpoint was sent the same', () => {
  for (const otherEndpoints of [[], [{ ...other, isFullSubstitute: false }]]) {
    const [alert] = gapOfTransactionAlerts([{ ...gap, otherEndpoints }], false)
    expect(alert?.kind).toBe('warning')
    expect(text(alert?.shown)).toMatch(/^Deliveries may be missing between /)
  }
})

it('says that another endpoint was sent the same, where one was', () => {
  const [alert] = gapOfTransactionAlerts([{ ...gap, otherEndpoints: [other] }], false)
  expect(alert?.kind).toBe('info')
  expect(text(alert?.shown)).toMatch(
    /^One endpoint may have missed deliveries between .*; another was sent the same events/,
  )
})
