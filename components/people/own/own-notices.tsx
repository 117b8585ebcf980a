'use client'

import { useRouter } from 'next/navigation'
import { keepFocusNear } from '#components/ui/browser/focus.ts'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Card } from '#components/ui/card.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useFormAction } from '#components/ui/form/use-form-action.ts'
import { ShortId } from '#components/ui/short-id.tsx'
import { Time } from '#components/ui/time.tsx'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The callout tells a person that strangers tried to sign in with codes for their address, until they have seen it. */
export function StrangerAlarm({
  lastAt,
  markSeen,
}: {
  /** The time is ISO 8601. */
  readonly lastAt: string
  readonly markSeen: Action<{ readonly marked: number }>
}) {
  const router = useRouter()
  const words = useWords()
  const { state, pending, form } = useFormAction(markSeen, () => router.refresh(), {
    done: words('alarm.noted'),
  })
  return (
    <form {...form}>
      <Callout
        kind="warning"
        title={words('alarm.title')}
        actions={
          <Button ref={keepFocusNear} type="submit" size="sm" pending={pending}>
            {words('alarm.seen')}
          </Button>
        }
      >
        {words.rich('alarm.body', { time: () => <Time key="time" at={lastAt} style="dated" /> })}
      </Callout>
      <ActionOutcome state={state} className="mt-2" />
    </form>
  )
}

interface Decision {
  readonly decision: 'usable' | 'refused'
}

/** The card asks a person in another browser whether the wallet given at sign-up is theirs. */
export function SignUpWalletCard({
  address,
  givenAt,
  decide,
}: {
  readonly address: string
  readonly givenAt: string
  readonly decide: Action<Decision>
}) {
  const words = useWords()
  return (
    <Card title={words('signUpWallet.title')}>
      <div className="grid gap-3 text-table">
        <p>
          {words.rich('signUpWallet.body', {
            time: () => <Time key="time" at={givenAt} style="dated" />,
            wallet: () => <ShortId key="wallet" id={address} />,
          })}
        </p>
        <p className="text-muted text-sm">{words('signUpWallet.warning')}</p>
        <div className="flex flex-wrap gap-2">
          <DecideButton decide={decide} decision="refused">
            {words('signUpWallet.refuse')}
          </DecideButton>
          <DecideButton decide={decide} decision="usable">
            {words('signUpWallet.accept')}
          </DecideButton>
        </div>
      </div>
    </Card>
  )
}

function DecideButton({
  decide,
  decision,
  children,
}: {
  readonly decide: Action<Decision>
  readonly decision: Decision['decision']
  readonly children: string
}) {
  const router = useRouter()
  const words = useWords()
  const { state, pending, form } = useFormAction(decide, () => router.refresh(), {
    done: words(decision === 'usable' ? 'signUpWallet.accepted' : 'signUpWallet.refused'),
  })
  return (
    <form {...form}>
      <input type="hidden" name="decision" value={decision} />
      <Button
        ref={keepFocusNear}
        type="submit"
        pending={pending}
        variant={decision === 'refused' ? 'primary' : 'secondary'}
      >
        {children}
      </Button>
      <ActionOutcome state={state} className="mt-2" />
    </form>
  )
}
