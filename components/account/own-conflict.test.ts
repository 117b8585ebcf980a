import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { customerWords } from '#lib/words/customer-words.ts'
import { WordsProvider } from '../browser/words.tsx'
import { OwnStepPill } from './own-step-pill.tsx'
import { OwnTimeline } from './own-timeline.tsx'

const words = customerWords('en')
const direction = 'fiatToCrypto'
const at = '2026-02-01T10:00:00.000Z'
const steps = ['PENDING', 'SUCCESS', 'FAILED'].map((step) => ({
  id: step,
  step,
  reason: null,
  at,
  before: false,
}))
const rendered = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const shown = (conflict: boolean) =>
  rendered(createElement(OwnStepPill, { words, direction, step: 'SUCCESS', conflict })) +
  rendered(createElement(OwnTimeline, { words, direction, steps, conflict }))

it('shows neither of two outcomes that contradict each other as the outcome', () => {
  expect(shown(false)).toMatch(/Completed.*Not completed.*This is finished/)
  expect(shown(true)).not.toMatch(/complete|finish|data-tone="(done|fail)"/i)
  expect(shown(true)).toMatch(/data-tone="wait".*We are checking how this transaction ended.*Created/)
})
