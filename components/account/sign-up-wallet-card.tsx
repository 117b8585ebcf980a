'use client'

import { useRouter } from 'next/navigation'
import type { Action } from '#lib/forms/action-state.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { useFormAction } from '../form/use-form-action.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ShortId } from '../ui/short-id.tsx'
import { Time } from '../ui/time.tsx'

interface Decision {
  readonly decision: 'usable' | 'refused'
}

/** Asks whose wallet it is that was given when the account was made, in a browser that is not this one. */
export function SignUpWalletCard({
  address,
  givenAt,
  decide,
}: {
  readonly address: string
  readonly givenAt: string
  readonly decide: Action<Decision>
}) {
  return (
    <Card title="Is this wallet yours?">
      <div className="grid gap-3 text-table">
        <p>
          Whoever made this account, <Time at={givenAt} />, gave the wallet <ShortId id={address} /> in
          another browser. It cannot sign in here until you say so.
        </p>
        <p className="text-muted text-sm">
          If you do not know it, do not let it in: whoever has it would see your account. At the payment
          service it stays the wallet of your account, so write to support before you move money.
        </p>
        <div className="flex flex-wrap gap-2">
          <DecideButton decide={decide} decision="refused">
            Not mine: never let it in
          </DecideButton>
          <DecideButton decide={decide} decision="usable">
            It is mine: let it sign in
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
  const { state, pending, form } = useFormAction(decide, () => router.refresh())
  return (
    <form {...form}>
      <input type="hidden" name="decision" value={decision} />
      <Button type="submit" pending={pending} variant={decision === 'refused' ? 'primary' : 'secondary'}>
        {children}
      </Button>
      <ActionOutcome state={state} className="mt-2" />
    </form>
  )
}
