import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { stepReasons } from '#lib/deliveries/rules/event-states.ts'
import type { VerificationTurn } from '#lib/transactions/rules/circumstances.ts'
import { customerWords } from '#lib/words/sentences.ts'
import { EndOwnHold } from './start-verification.tsx'

const shown = (
  step: string,
  reason: string | null,
  verificationUrl: string | null = null,
  turn: VerificationTurn | null = 'customer',
) =>
  renderToStaticMarkup(
    createElement(EndOwnHold, {
      words: customerWords('en'),
      step,
      reason,
      turn,
      verificationUrl,
      merchantName: 'Demo Merchant',
      supportContact: 'help@merchant.example',
    }),
  )

it('links from a hold for verification to the verification, or to support', () => {
  expect(shown('ON_HOLD', 'ON_HOLD_KYC', 'https://verify.example')).toMatch(
    /paused until your verification.*href="https:\/\/verify\.example".*>Verify your identity</,
  )
  expect(shown('ON_HOLD', 'ON_HOLD_KYC')).toContain('mailto:help@merchant.example')
})

it('asks for nothing while the provider verifies the customer', () => {
  const paused = shown('ON_HOLD', 'ON_HOLD_KYC', 'https://verify.example', 'provider')
  expect(paused).toContain('paused until your verification')
  expect(paused).not.toMatch(/href|Verify|Ask/)
})

it('shows nothing at another hold, which the customer cannot end, or at another step', () => {
  for (const reason of [...stepReasons, null])
    if (reason !== 'ON_HOLD_KYC') expect(shown('ON_HOLD', reason)).toBe('')
  expect(shown('FAILED', 'ON_HOLD_KYC')).toBe('')
})
