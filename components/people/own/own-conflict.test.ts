import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import type { OwnStepView } from '#lib/people/own/own-transactions.ts'
import { languages } from '#lib/platform/rules/language.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { OwnTimeline } from './own-money-card.tsx'
import { OwnStepPill } from './own-transactions.tsx'

const direction = 'fiatToCrypto'
const at = '2026-02-01T10:00:00.000Z'
const stepOf = (step: string) => ({ id: step, step, reason: null, at, before: false })
const transaction = {
  direction,
  steps: ['PENDING', 'SUCCESS', 'FAILED'].map(stepOf),
  conflict: false,
  stuck: false,
  amountFiat: '100',
  currencyFiat: 'EUR',
  amountCrypto: '108',
  currencyCrypto: 'USDC',
  amountRefunded: null,
} as const
const timeline = (language: (typeof languages)[number], conflict: boolean) =>
  rendered(createElement(OwnTimeline, { words: customerWords(language), ...transaction, conflict }))
const rendered = (children: ReactNode) =>
  renderToStaticMarkup(createElement(WordsProvider, { language: 'en', messages: {}, children }))
const shown = (conflict: boolean) =>
  rendered(
    createElement(OwnStepPill, {
      words: customerWords('en'),
      direction,
      step: 'SUCCESS',
      conflict,
      stuck: false,
    }),
  ) + timeline('en', conflict)

it('shows neither of two contradicting outcomes as the outcome', () => {
  expect(shown(false)).toMatch(/Completed.*Not completed.*This could not be completed\..*Completed/)
  expect(shown(true)).not.toMatch(/complete|finish|data-tone="(done|fail)"/i)
  expect(shown(true)).toMatch(/data-tone="wait".*We are checking how this transaction ended.*Created/)
})

it('explains the present step alone, or what is late or being clarified', () => {
  const explained = (steps: readonly OwnStepView[], more: object = {}) =>
    rendered(createElement(OwnTimeline, { words: customerWords('en'), ...transaction, steps, ...more }))
      .split('</li>')
      .map((step) =>
        step
          .replaceAll(/<svg.*?<\/svg>/g, '')
          .split('</p>')[1]
          ?.replaceAll(/<[^>]+>/g, ''),
      )
  const passed = ['PENDING', 'IN_PROGRESS'].map(stepOf)
  const held = { ...stepOf('ON_HOLD'), reason: 'ON_HOLD_KYC' }
  const [now, ...before] = explained([...passed, held, stepOf('SUCCESS')])
  expect(now).toBe('Completed.')
  expect(before.join('')).toBe('')
  expect(explained([...passed, held])[0]).toBe('This is paused until your verification is complete.')
  expect(explained(passed, { stuck: true })[0]).toContain('This is taking longer than usual.')
  const [later, contradicted, ...rest] = explained([...transaction.steps, stepOf('COMPLIANCE_REVIEW')], {
    conflict: true,
  })
  expect([later, contradicted].join(' ')).toContain('We are checking how this transaction ended')
  expect(rest.join('')).toBe('')
})

it('tells of a refund at its own step whether only a part went back', () => {
  const refunded = (amountRefunded: string | null) =>
    rendered(
      createElement(OwnTimeline, {
        words: customerWords('en'),
        ...transaction,
        amountRefunded,
        steps: ['PENDING', 'REFUNDED'].map(stepOf),
      }),
    )
  expect(refunded('1')).toContain('A part of your money was refunded to you.')
  for (const amount of ['100', null]) expect(refunded(amount)).toContain('Your money was refunded to you.')
})

it('says once that it is being clarified, in every language', () => {
  for (const language of languages) {
    const [label, html] = [customerWords(language)('steps.unsettled.label'), timeline(language, true)]
    expect(html.split(label)).toHaveLength(2)
  }
})
