'use client'

import { KeyRound } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { Dialog, DialogClose } from '#components/ui/dialog.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { AfterFreshSignIn } from '#components/ui/form/fresh-sign-in.tsx'
import { Time } from '#components/ui/time.tsx'
import type { PasskeyView } from '#lib/identity/passkeys/own-passkeys.ts'
import type { RegistrationOptions } from '#lib/identity/passkeys/registration.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { PasskeyNameField, RegisterPasskey } from '../passkeys/register-passkey.tsx'

export interface PasskeyActions {
  readonly begin: Action<RegistrationOptions>
  readonly add: Action<{ readonly passkeyId: string }>
  readonly rename: Action<{ readonly passkeyId: string }>
  readonly remove: Action<{ readonly passkeyId: string }>
}

/** The caller can rename and remove each of their passkeys, and add more. */
export function OwnPasskeys({
  passkeys,
  actions,
}: {
  readonly passkeys: readonly PasskeyView[]
  readonly actions: PasskeyActions
}) {
  const router = useRouter()
  return (
    <Card title="Passkeys" aside={<AddPasskey actions={actions} />}>
      {passkeys.length === 0 ? (
        <EmptyState icon={KeyRound} title="You have no passkey yet">
          Sign in with fingerprint, face or PIN, and approve exports.
        </EmptyState>
      ) : (
        <ul className="divide-y">
          {passkeys.map(({ id, name, backedUp, createdAt, lastUsedAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
              <div className="min-w-0 flex-1 basis-60">
                <p className="break-words font-strong text-table">{name}</p>
                <p className="text-muted text-sm">
                  Added <Time at={createdAt} />
                  {', '}
                  {lastUsedAt ? (
                    <>
                      last used <Time at={lastUsedAt} />
                    </>
                  ) : (
                    'never used'
                  )}
                  {backedUp && '; copied to your other devices'}
                </p>
              </div>
              <ConfirmedActionButton
                label="Rename"
                of={name}
                title={`Rename the passkey “${name}”?`}
                description="Only the name here changes, not the name on your device."
                action={actions.rename}
                asksReason={false}
                fields={{ passkeyId: id }}
                done="The passkey has its new name."
                onDone={() => router.refresh()}
              >
                {(errorOf) => <PasskeyNameField defaultValue={name} error={errorOf('passkeyName')} />}
              </ConfirmedActionButton>
              <ConfirmedActionButton
                label="Remove"
                of={name}
                title={`Remove the passkey “${name}”?`}
                description="Nobody can sign in with it here any more. The device still lists it until you delete it there."
                action={actions.remove}
                afterFreshSignIn
                asksReason={false}
                fields={{ passkeyId: id }}
                done="Removed: this passkey cannot sign in any more."
                onDone={() => router.refresh()}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function AddPasskey({ actions }: { readonly actions: PasskeyActions }) {
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const cancel = <DialogClose>Cancel</DialogClose>
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      trigger={<Button size="sm">Add a passkey…</Button>}
      title="Add a passkey"
      description="Your browser asks where to store it: this device, a phone or a security key."
    >
      <AfterFreshSignIn cancel={cancel}>
        <RegisterPasskey
          cancel={cancel}
          begin={actions.begin}
          finish={actions.add}
          done="The passkey is added: you can sign in with it."
          onDone={() => {
            setOpen(false)
            router.refresh()
          }}
        />
      </AfterFreshSignIn>
    </Dialog>
  )
}
