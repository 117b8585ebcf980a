'use client'

import { useRouter } from 'next/navigation'
import { TextField } from '#components/ui/field.tsx'
import { ConfirmedActionButton } from '#components/ui/form/confirmed-action-button.tsx'
import type { SendingResult } from '#lib/platform/db/claimed-queue.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'

/** The button sends a test mail and shows the answer of the mail server. */
export function TestMailButton({
  to,
  sendTest,
}: {
  readonly to: string | null
  readonly sendTest: Action<SendingResult>
}) {
  const router = useRouter()
  return (
    <ConfirmedActionButton
      label="Send a test"
      title="Send a test mail?"
      description="It contains nothing but where it is from."
      action={sendTest}
      fields={{}}
      asksReason={false}
      done={null}
      onDone={() => router.refresh()}
      result={({ state, answer }) => ({
        title: titles[state],
        body: (
          <>
            {whatNext[state]} Answer: <span className="mono break-words">{answer}</span>
          </>
        ),
      })}
    >
      {(errorOf) => (
        <TextField
          label="To"
          name="to"
          defaultValue={to ?? ''}
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          error={errorOf('to')}
        />
      )}
    </ConfirmedActionButton>
  )
}

const titles = {
  sent: 'The mail server accepted it',
  waiting: 'It is not sent yet',
  unknown: 'It may have been sent',
  failed: 'It was not sent',
} as const satisfies Record<SendingResult['state'], string>

const whatNext = {
  sent: 'Check that it arrives. A bounce goes to the sender’s mailbox, not to Rampart.',
  waiting: 'It is retried for an hour. This page shows the result.',
  unknown: 'The mail server received the mail and did not answer. Check whether it arrived.',
  failed: 'Fix what it reports, then send another.',
} as const satisfies Record<SendingResult['state'], string>
