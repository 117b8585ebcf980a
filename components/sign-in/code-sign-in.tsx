'use client'

import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { type ReactNode, type SubmitEvent, useState } from 'react'
import type { CodeDeliveryProblem } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { callAction } from '../form/call-action.ts'
import { Button } from '../ui/button.tsx'
import { Callout } from '../ui/callout.tsx'
import { TextField } from '../ui/field.tsx'
import { type SignInResult, submitCredentials } from './submit-credentials.ts'
import type { CodeRequest } from './use-code-request.ts'
import { useCountdown } from './use-countdown.ts'

interface CodeSignInProps {
  readonly code: CodeRequest
  readonly codeDeliveryStatus: Action<CodeDeliveryProblem | null>
  readonly merchant: string
  readonly serviceHost: string
  readonly sandboxUrl: string | null
  readonly onSignedIn: () => void
  readonly children?: ReactNode
}

/** Signing in with a code by e-mail: first the address, then the code. */
export function CodeSignIn({ code, children, ...rest }: CodeSignInProps) {
  return (
    <section aria-labelledby="code-title" className="flex min-w-0 flex-col p-5 sm:p-7">
      <h2 id="code-title" className="font-heading text-base">
        E-mail code
      </h2>
      {code.sent ? (
        <EnterCode key={code.sent.email} code={code} sent={code.sent} {...rest} />
      ) : (
        <>
          <RequestCode code={code} />
          {children && <div className="mt-5 text-muted text-sm">{children}</div>}
        </>
      )}
    </section>
  )
}

function RequestCode({ code }: { readonly code: CodeRequest }) {
  const { state, pending } = code
  const wrong = state.kind === 'invalid' ? state.fields.email : undefined
  return (
    <form method="post" noValidate onSubmit={(event) => code.request(fieldOf(event, 'email'))}>
      <p className="mt-1 mb-4 text-muted text-table">We send a code to the address you signed up with.</p>
      <TextField
        label="E-mail"
        name="email"
        type="email"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={wrong}
        defaultValue={'values' in state ? String(state.values.email ?? '') : ''}
      />
      <ActionOutcome state={state} className="mt-3" />
      <Button type="submit" variant="primary" size="lg" className="mt-3 w-full" pending={pending}>
        {pending ? 'Sending…' : 'Send code'}
      </Button>
    </form>
  )
}

function EnterCode({
  code,
  sent,
  codeDeliveryStatus,
  merchant,
  serviceHost,
  sandboxUrl,
  onSignedIn,
}: Omit<CodeSignInProps, 'children'> & { readonly sent: NonNullable<CodeRequest['sent']> }) {
  const [result, setResult] = useState<SignInResult | 'checking' | null>(null)
  const deliveryProblem = useCodeDeliveryStatus(codeDeliveryStatus, sent, result !== 'signed-in')
  const wait = useCountdown(sent.resendAt)
  const refusal =
    result === null || result === 'checking' || result === 'signed-in' ? null : signInMessages[result]
  const check = async (event: SubmitEvent<HTMLFormElement>) => {
    const typed = fieldOf(event, 'code').replace(/\s/g, '')
    if (typed === '') return
    setResult('checking')
    const outcome = await submitCredentials('code', { email: sent.email, code: typed })
    setResult(outcome)
    if (outcome === 'signed-in') onSignedIn()
  }
  return (
    <>
      <form method="post" noValidate onSubmit={check}>
        <p className="mt-1 mb-4 text-muted text-table" role="status">
          If an account belongs to <strong className="break-words font-strong text-text">{sent.email}</strong>
          , a code is on its way. It comes from the payment service{sandboxUrl ? '' : ` at ${serviceHost}`},
          not from {merchant}.
        </p>
        {deliveryProblem !== null && deliveryProblem !== 'bounced' && (
          <Callout kind="error" title="No code was sent." className="mb-4">
            {signInMessages[deliveryProblem].next}
          </Callout>
        )}
        {deliveryProblem === 'bounced' && (
          <Callout kind="error" title="The e-mail came back." className="mb-4">
            It could not be delivered to {sent.email}. Check the address, or sign in with your wallet.
          </Callout>
        )}
        <TextField
          label="Code"
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          // Nothing says that codes are digits, except in the sandbox.
          inputMode={sandboxUrl ? 'numeric' : 'text'}
          maxLength={64}
          required
          mono
          autoFocus
          aside={
            sandboxUrl && (
              <a
                href={mailboxOf(sandboxUrl, sent.email)}
                target="_blank"
                rel="noreferrer"
                className="inline-flex items-center gap-1 text-muted underline hover:text-text"
              >
                Open the sandbox mailbox
                <ExternalLink className="size-3" aria-hidden />
              </a>
            )
          }
          className="[&_input]:tracking-[0.2em]"
        />
        {refusal && (
          <Callout kind="error" title={refusal.title} className="mt-3">
            {refusal.next}
          </Callout>
        )}
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="mt-3 w-full"
          pending={result === 'checking' || result === 'signed-in'}
        >
          {result === 'checking' ? 'Checking…' : result === 'signed-in' ? 'Opening…' : 'Sign in'}
        </Button>
      </form>
      <ActionOutcome state={code.state} className="mt-3" />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
        <Button
          variant="ghost"
          size="sm"
          className="-ml-2.5"
          disabled={wait > 0}
          pending={code.pending}
          onClick={() => code.request(sent.email)}
        >
          <span className="num">{wait > 0 ? `New code in ${wait} s` : 'Send a new code'}</span>
        </Button>
        <Button variant="ghost" size="sm" className="-mr-2.5" onClick={code.restart}>
          Use another address
        </Button>
      </div>
      <p className="mt-4 text-muted text-sm">
        Nothing there? Look among unwanted mail. If you have lost both this address and your wallet, only{' '}
        {merchant}’s support can help.
      </p>
    </>
  )
}

/** What went wrong with the code after it was asked for; asked every few seconds for ten minutes. §6.6 */
function useCodeDeliveryStatus(
  action: CodeSignInProps['codeDeliveryStatus'],
  { email, resendAt }: NonNullable<CodeRequest['sent']>,
  wanted: boolean,
): CodeDeliveryProblem | null {
  const { data } = useQuery({
    queryKey: ['code delivery status', email, resendAt],
    queryFn: async () => {
      const answer = await callAction(action, { email })
      return answer.kind === 'done' ? answer.value : null
    },
    enabled: wanted,
    initialData: null,
    refetchInterval: ({ state }) => (state.data || state.dataUpdateCount > 150 ? false : 4_000),
  })
  return data
}

function fieldOf(event: SubmitEvent<HTMLFormElement>, name: string): string {
  event.preventDefault()
  const value = new FormData(event.currentTarget).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** The sandbox's mailbox of one address. */
const mailboxOf = (sandboxUrl: string, email: string) =>
  `${new URL('/mailbox', sandboxUrl).href}?email=${encodeURIComponent(email)}`
