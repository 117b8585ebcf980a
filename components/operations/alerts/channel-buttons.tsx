'use client'

import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { Callout } from '#components/ui/callout.tsx'
import { Field, TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import { OnceShown } from '#components/ui/form/once-shown.tsx'
import { Select } from '#components/ui/input.tsx'
import type { AlertChannelView } from '#lib/operations/alerts/alert-channels.ts'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { channelKindLabels } from './channel-labels.ts'
import { QuietFields } from './quiet-fields.tsx'

interface StoredChannel {
  readonly id: string
  /** The signing secret is null when there is none, or when it stays. */
  readonly secret: string | null
}

const kinds = [
  'slack',
  'teams',
  'webhook',
  'heartbeat',
] as const satisfies readonly AlertChannelView['kind'][]

/** The dialog adds a channel. The signing secret of a webhook is then shown once. */
export function AddChannelButton({ add }: { readonly add: Action<StoredChannel> }) {
  const router = useRouter()
  const [kind, setKind] = useState<(typeof kinds)[number]>('slack')
  return (
    <ConfirmedActionButton
      label="Add a channel"
      variant="primary"
      title="Add a channel of alerts?"
      description="It gets every alert, unless a rule names other channels. Its address is stored encrypted."
      action={add}
      afterFreshSignIn
      fields={{}}
      done={({ secret }) => (secret === null ? 'The channel is added. Send a test.' : null)}
      onDone={() => router.refresh()}
      result={({ secret }) => storedResult('The channel is added', secret)}
    >
      {(errorOf) => (
        <>
          <Field label="Kind" hint={channelKindLabels[kind].about} error={errorOf('kind')}>
            {(control) => (
              <Select
                {...control}
                name="kind"
                value={kind}
                onChange={({ target }) => setKind(kinds.find((each) => each === target.value) ?? 'slack')}
              >
                {kinds.map((each) => (
                  <option key={each} value={each}>
                    {channelKindLabels[each].label}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <NameField error={errorOf('name')} />
          <AddressField error={errorOf('address')} />
          {kind !== 'heartbeat' && <QuietFields quiet={null} errorOf={errorOf} />}
        </>
      )}
    </ConfirmedActionButton>
  )
}

/** The dialog changes a channel. An empty address keeps the present one. */
export function ChangeChannelButton({
  channel,
  change,
}: {
  readonly channel: AlertChannelView
  readonly change: Action<StoredChannel>
}) {
  const router = useRouter()
  const { id, kind, name, enabled, place, quiet, isReadable, seen } = channel
  return (
    <ConfirmedActionButton
      label="Change"
      of={name}
      title={`Change the channel “${name}”?`}
      description="The change takes effect at once. All admins are told."
      action={change}
      afterFreshSignIn
      fields={{ id, seen }}
      draft={`channel ${id}`}
      done={({ secret }) => (secret === null ? 'The channel is changed.' : null)}
      onDone={() => router.refresh()}
      result={({ secret }) => storedResult('The channel is changed', secret)}
    >
      {(errorOf) => (
        <>
          <NameField name={name} error={errorOf('name')} />
          <Field label="State" error={errorOf('enabled')}>
            {(control) => (
              <Select {...control} name="enabled" defaultValue={String(enabled)}>
                <option value="true">On</option>
                <option value="false">Off: it gets nothing</option>
              </Select>
            )}
          </Field>
          <AddressField
            hint={isReadable ? `Empty: it stays ${place ?? ''}` : 'The stored address cannot be read.'}
            error={errorOf('address')}
          />
          {kind === 'webhook' && (
            <Field label="Signing secret" error={errorOf('newSecret')}>
              {(control) => (
                <Select {...control} name="newSecret" defaultValue="false">
                  <option value="false">Keep it</option>
                  <option value="true">Make a new one, shown once</option>
                </Select>
              )}
            </Field>
          )}
          {kind !== 'heartbeat' && <QuietFields quiet={quiet} errorOf={errorOf} />}
        </>
      )}
    </ConfirmedActionButton>
  )
}

function NameField({ name = '', error }: { readonly name?: string; readonly error: string | undefined }) {
  return (
    <TextField
      label="Name"
      name="name"
      defaultValue={name}
      maxLength={60}
      autoComplete="off"
      required
      error={error}
    />
  )
}

function AddressField({ hint, error }: { readonly hint?: string; readonly error: string | undefined }) {
  return (
    <TextField
      label="Address"
      name="address"
      mono
      inputMode="url"
      placeholder="https://"
      autoComplete="off"
      spellCheck={false}
      required={hint === undefined}
      hint={hint}
      error={error}
    />
  )
}

const storedResult = (title: string, secret: string | null) => ({
  title,
  body:
    secret === null ? (
      'Send a test to see whether it arrives.'
    ) : (
      <div className="grid gap-3">
        <Callout kind="warning" title="Copy it now: it is shown this once.">
          Your program checks the signature of each message with this secret.
        </Callout>
        <OnceShown
          secret={secret}
          name="Signing secret"
          copy="Copy secret"
          lost="If it is lost, make a new one."
        />
      </div>
    ),
})

/** The dialog removes a channel with its waiting messages. */
export function RemoveChannelButton({
  channel: { id, name, waiting },
  remove,
}: {
  readonly channel: AlertChannelView
  readonly remove: Action<{ readonly id: string }>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Remove"
      of={name}
      variant="danger"
      title={`Remove the channel “${name}”?`}
      description={
        waiting === 0
          ? 'It gets no more alerts. A rule that has no other channel goes to all.'
          : `It gets no more alerts, and ${waiting} waiting ${waiting === 1 ? 'message is' : 'messages are'} not sent.`
      }
      action={remove}
      afterFreshSignIn
      fields={{ id }}
      done="The channel is removed."
      onDone={() => router.refresh()}
    />
  )
}

/** The button sends a test to the channel, and shows what came of it. */
export function TestChannelButton({
  channel: { id, kind, name },
  test,
}: {
  readonly channel: AlertChannelView
  readonly test: Action<SendingResult>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Send a test"
      of={name}
      title={`Send a test to “${name}”?`}
      description={
        kind === 'email'
          ? 'A mail goes to your own address. It contains no alert.'
          : kind === 'heartbeat'
            ? 'The address is called once.'
            : 'It contains no alert.'
      }
      action={test}
      fields={{ id }}
      asksReason={false}
      done={null}
      onDone={() => router.refresh()}
      result={({ state, answer }) => ({
        title: testTitles[state],
        body: (
          <>
            {testNext[state]} Answer: <span className="mono break-words">{answer}</span>
          </>
        ),
      })}
    />
  )
}

const testTitles = {
  sent: 'The test was taken',
  waiting: 'The test is not sent yet',
  unknown: 'The test may have arrived',
  failed: 'The test was not taken',
} as const satisfies Record<SendingResult['state'], string>

const testNext = {
  sent: 'Check that it arrives.',
  waiting: 'It is tried again for an hour; this page shows the last result.',
  unknown: 'There was no answer. Look whether it arrived.',
  failed: 'Correct what it says, then send another.',
} as const satisfies Record<SendingResult['state'], string>
