import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { gapView, substitute } from '../../../test/gap-view.ts'
import { gapAlerts, gapOfTransactionAlerts } from './gap-callout.tsx'

const gap = gapView({ endedAt: '2026-11-20T02:20:00.000Z' })

const text = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children })).replaceAll(
    /<[^>]+>/g,
    '',
  )

it('says that deliveries may be missing when no other endpoint was sent the same', () => {
  for (const otherEndpoints of [[], [{ ...substitute, isFullSubstitute: false }]]) {
    const [alert] = gapOfTransactionAlerts([{ ...gap, otherEndpoints }], false)
    expect(alert?.kind).toBe('warning')
    expect(text(alert?.shown)).toMatch(/^Deliveries may be missing between /)
  }
})

it('says after a restore that deliveries acknowledged after the backup are gone', () => {
  const [alert] = gapOfTransactionAlerts([{ ...gap, kind: 'restored', endpoint: null }], false)
  expect(alert?.kind).toBe('warning')
  expect(text(alert?.shown)).toMatch(
    /^Deliveries that were acknowledged between .* are no longer here, and will not be sent again/,
  )
})

it('says that another endpoint was sent the same, when one was', () => {
  const [alert] = gapOfTransactionAlerts([{ ...gap, otherEndpoints: [substitute] }], false)
  expect(alert?.kind).toBe('info')
  expect(text(alert?.shown)).toMatch(
    /^One endpoint may have missed deliveries between .*; another has the same events/,
  )
})

it('has no alert when nothing may be missing: the service could not be asked, but still delivered', () => {
  const rows = (['key-refused', 'not-seen'] as const).flatMap((kind) => [
    gapView({ kind, endpoint: null }),
    gapView({ kind, endpoint: null, endedAt: gap.endedAt }),
  ])
  expect(gapAlerts({ rows, next: null })).toEqual([])
  expect(gapAlerts({ rows: [...rows, gap], next: null })).toHaveLength(1)
})
