'use client'

import { clsx } from 'clsx'
import { Check, Circle, LoaderCircle } from 'lucide-react'
import { useWords } from '#components/ui/browser/words.tsx'
import type { Signer } from './signer.ts'

/** How far signing in has come, once it has begun. */
export type SignStep = 'ready' | 'signing' | 'checking' | 'signed-in'

/** Each step as it happens. */
export function SignSteps({
  step,
  signer,
}: {
  readonly step: Exclude<SignStep, 'ready'>
  readonly signer: Signer
}) {
  const at = order.indexOf(step)
  const words = useWords()
  const lines = [
    at > 0
      ? words('signIn.signed')
      : signer.kind === 'wallet'
        ? words('signIn.waitingFor', { wallet: signer.name })
        : words('signIn.signing'),
    words(at > 1 ? 'signIn.accepted' : 'signIn.checkingSignature'),
    words('signIn.openingPage'),
  ]
  return (
    <ol aria-live="polite" className="grid gap-2 rounded-panel border px-3.5 py-3 text-sm">
      {lines.map((text, index) => {
        const Icon = index < at ? Check : index === at ? LoaderCircle : Circle
        return (
          <li key={order[index]} className={clsx('flex items-center gap-2.5', index > at && 'text-faint')}>
            <Icon
              aria-hidden
              className={clsx('size-4', index < at && 'text-done', index === at && 'animate-spin text-muted')}
            />
            {text}
          </li>
        )
      })}
    </ol>
  )
}

const order = ['signing', 'checking', 'signed-in'] as const
