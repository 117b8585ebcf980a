import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { StepPill, stepPill } from './step-pill.tsx'

const pill = (step: string, flags: readonly string[] = []) =>
  renderToStaticMarkup(createElement(StepPill, { direction: 'fiatToCrypto', step, flags }))
const words = (markup: string) => markup.replaceAll(/<[^>]*>/g, '')

it('shows in words what contradicts a step or puts it in doubt, without hiding the colour', () => {
  for (const [flag, doubt] of [
    ['conflict', 'conflict'],
    ['late', 'late'],
    ['order-unsure', 'order unconfirmed'],
    ['repeat-unsure', 'possibly finished'],
  ] as const) {
    expect(words(pill('SUCCESS', [flag]))).toBe(`${words(pill('SUCCESS'))} · ${doubt}`)
    expect(pill('SUCCESS', [flag])).toContain('data-tone="done"')
  }
  expect(pill('SUCCESS')).toContain('data-tone="done"')
})

it('says why a transaction is on hold before what is in doubt, because a narrow column cuts the end off', () => {
  const held = {
    direction: 'fiatToCrypto',
    step: 'ON_HOLD',
    reason: 'ON_HOLD_PROCESS',
    flags: ['order-unsure'],
  } as const
  expect(stepPill(held).words).toBe('On hold · processing · order unconfirmed')
})
