'use client'

import { Circle, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { keepCookie } from '#components/ui/browser/keep-cookie.ts'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { ButtonLink } from '#components/ui/link.tsx'
import { useLiveStatus } from '#components/ui/live/live.tsx'
import type { Health } from '#lib/operations/rules/health.ts'
import { firstStepsCookie } from './first-steps-cookie.ts'

/**
 * A new installation shows what is left to do until payments appear, and ticks each step as it happens. It appears
 * only when no delivery ever arrived, and goes when somebody closes it, or opens the page after all steps are done.
 */
export function FirstSteps({
  mayManage,
  sandboxUrl,
}: {
  /** `mayManage`: the reader may give another key and add endpoints. */
  readonly mayManage: boolean
  /** The sandbox plays payments at this address; null with the real service. */
  readonly sandboxUrl: string | null
}) {
  const health = useLiveStatus()?.health ?? null
  const [isNew, setNew] = useState(health !== null && health.lastDeliveryAt === null)
  if (!isNew || health === null) return null
  const steps = firstStepsOf(health)
  const done = steps.filter((one) => one.done).length
  const putAway = () => {
    keepCookie(firstStepsCookie, 'put-away')
    setNew(false)
  }
  return (
    <Card
      aria-label="First steps"
      title={done === steps.length ? 'All is set up: what arrives shows here by itself' : 'First steps'}
      aside={
        <span className="flex items-center gap-2 text-muted text-sm">
          <span role="status" className="num">
            {done} of {steps.length} done
          </span>
          <Button variant="ghost" size="sm" square aria-label="Hide the first steps" onClick={putAway}>
            <X aria-hidden />
          </Button>
        </span>
      }
      className="mt-5"
    >
      <ol className="grid gap-3">
        {steps.map((one) => (
          <Step key={one.step} {...one} {...wordsOf(one, health, mayManage, sandboxUrl)} />
        ))}
      </ol>
    </Card>
  )
}

interface StepWords {
  readonly title: string
  readonly next: string
  readonly action: ReactNode
}

function Step({ done, title, next, action }: FirstStep & StepWords) {
  return (
    <li data-tone={done ? 'done' : 'wait'} className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <span className="flex h-[1.5em] items-center text-tone">
        {done ? (
          <CircleCheck className="size-4.5" aria-hidden />
        ) : (
          <Circle className="size-4.5" aria-hidden />
        )}
      </span>
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-label">
          {title}
          <span className="sr-only">{done ? ', done' : ', to do'}</span>
        </p>
        {!done && <p className="text-muted text-sm">{next}</p>}
      </div>
      {!done && action}
    </li>
  )
}

function wordsOf(
  { step }: FirstStep,
  { service, lastDeliveryAt }: Health,
  mayManage: boolean,
  sandboxUrl: string | null,
): StepWords {
  switch (step) {
    case 'service':
      return {
        title: 'The provider accepts the API key',
        next: serviceWords[service?.outcome ?? 'unasked'],
        action: mayManage && service?.outcome === 'key-refused' && (
          <ButtonLink size="sm" href="/settings#service">
            Replace the API key
          </ButtonLink>
        ),
      }
    case 'endpoint':
      return {
        title: 'An endpoint delivers to this dashboard',
        next: `It tells the provider where to send events.${mayManage ? '' : ' An admin of your team can add it.'}`,
        action: mayManage && (
          <ButtonLink size="sm" variant="primary" href="/endpoints/new">
            Add this dashboard
          </ButtonLink>
        ),
      }
    case 'delivery':
      return {
        title: 'The first delivery has arrived',
        next: sandboxUrl
          ? 'Play a payment in the sandbox: its steps arrive as they happen.'
          : 'The next payment brings it. Nothing more is to be done for it.',
        action: sandboxUrl && lastDeliveryAt === null && (
          <ButtonLink size="sm" href={sandboxUrl} target="_blank" rel="noreferrer">
            Play a payment
          </ButtonLink>
        ),
      }
  }
}

const serviceWords = {
  unasked: 'The provider is being checked. This takes at most a minute.',
  seen: 'It lists its endpoints.',
  'key-refused': 'The provider rejects Rampart’s API key. Setup needs a key that it accepts.',
  unanswered: 'The provider does not answer. It is checked every minute. Is its address right?',
} as const

interface FirstStep {
  readonly step: 'service' | 'endpoint' | 'delivery'
  readonly done: boolean
}

/** A new installation needs these steps before anything appears, in an order in which they can be done. */
export const firstStepsOf = ({ service, receiving, lastDeliveryAt }: Health): readonly FirstStep[] => [
  { step: 'service', done: service?.outcome === 'seen' },
  { step: 'endpoint', done: receiving === true },
  { step: 'delivery', done: lastDeliveryAt !== null },
]
