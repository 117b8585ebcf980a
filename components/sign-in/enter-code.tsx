'use client'

import { ExternalLink } from 'lucide-react'
import type { CodeDeliveryProblem } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { Action } from '#lib/forms/action-state.ts'
import { signInMessages } from '#lib/labels/sign-in-messages.ts'
import { ActionOutcome } from '../form/action-outcome.tsx'
import { submittedText } from '../form/submitted-text.ts'
import { RefusalCallout } from '../refusal-callout.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { useCheckCode } from './use-check-code.ts'
import { useCodeDeliveryStatus } from './use-code-delivery-status.ts'
import type { CodeRequest, SentCode } from './use-code-request.ts'
import { useCountdown } from './use-countdown.ts'

export interface EnterCodeProps {
  readonly code: CodeRequest
  readonly sent: SentCode
  /** The address that this browser has just signed up with. Nothing says here whether it has an account elsewhere. */
  readonly signedUpAs?: string
  readonly codeDeliveryStatus: Action<CodeDeliveryProblem | null>
  readonly merchant: string
  readonly serviceHost: string
  readonly sandboxUrl: string | null
  readonly onSignedIn: () => void
}

/** The field for a code that was sent, what became of it, and the ways to another one. */
export function EnterCode({
  code,
  sent,
  signedUpAs,
  codeDeliveryStatus,
  merchant,
  serviceHost,
  sandboxUrl,
  onSignedIn,
}: EnterCodeProps) {
  const { check, checking, signedIn, refusal } = useCheckCode(sent.email, onSignedIn)
  const deliveryProblem = useCodeDeliveryStatus(codeDeliveryStatus, sent, !signedIn)
  return (
    <>
      <form method="post" noValidate onSubmit={(event) => check(submittedText(event, 'code'))}>
        <p className="mt-1 mb-4 text-muted text-table" role="status">
          {signedUpAs === undefined ? 'If an account belongs to ' : 'We sent a code to '}
          <strong className="break-words font-strong text-text">{sent.email}</strong>
          {signedUpAs === undefined ? ', a code is on its way.' : '.'} It works in this browser only, and
          comes from the payment service{sandboxUrl ? '' : ` at ${serviceHost}`}, not from {merchant}.
        </p>
        {deliveryProblem && (
          <RefusalCallout refusal={deliveryRefusal(deliveryProblem, sent.email)} className="mb-4" />
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
          aside={sandboxUrl && <MailboxLink sandboxUrl={sandboxUrl} email={sent.email} />}
          className="[&_input]:tracking-[0.2em]"
        />
        {refusal && <RefusalCallout refusal={refusal} className="mt-3" />}
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="mt-3 w-full"
          pending={checking || signedIn}
        >
          {checking ? 'Checking…' : signedIn ? 'Opening…' : 'Sign in'}
        </Button>
      </form>
      <ActionOutcome state={code.state} className="mt-3" />
      <OtherCode code={code} sent={sent} />
      <p className="mt-4 text-muted text-sm">
        Nothing after 2 minutes? Look among unwanted mail, then ask {merchant}’s support.{' '}
        {signedUpAs === undefined
          ? 'Only they can help if you have lost both this address and your wallet.'
          : 'The payment service may have an account with this address or wallet already that is not known here; then it sent none, and sends none until support has entered that account.'}
      </p>
    </>
  )
}

/** Another code to the same address once the wait is over, or another address. */
function OtherCode({ code, sent }: Pick<EnterCodeProps, 'code' | 'sent'>) {
  const wait = useCountdown(sent.resendAt)
  return (
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
  )
}

/** Opens the sandbox's mailbox of one address. */
function MailboxLink({ sandboxUrl, email }: { readonly sandboxUrl: string; readonly email: string }) {
  return (
    <a
      href={`${new URL('/mailbox', sandboxUrl).href}?email=${encodeURIComponent(email)}`}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1 text-muted underline hover:text-text"
    >
      Open the sandbox mailbox
      <ExternalLink className="size-3" aria-hidden />
    </a>
  )
}

const deliveryRefusal = (problem: CodeDeliveryProblem, email: string) =>
  problem === 'bounced'
    ? {
        title: 'The e-mail came back.',
        next: `It could not be delivered to ${email}. Check the address, or sign in with your wallet.`,
      }
    : { title: 'No code was sent.', next: signInMessages[problem].next }
