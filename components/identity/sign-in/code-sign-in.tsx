'use client'

import { clsx } from 'clsx'
import { ExternalLink } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { TextField } from '#components/ui/field.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { useDraft } from '#components/ui/form/draft.tsx'
import { EmailField } from '#components/ui/form/email-field.tsx'
import { submittedText, useFieldErrors } from '#components/ui/form/form-fields.ts'
import { RefusalCallout } from '#components/ui/form/refusal-callout.tsx'
import type { CodeDeliveryProblem } from '#lib/identity/rules/sign-in.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import {
  type CodeRequest,
  type SentCode,
  useCheckCode,
  useCodeDeliveryStatus,
  useCountdown,
  useDeadCode,
} from './email-code.ts'
import { useRefusalWords } from './sign-in-result.ts'

/** A person signs in with a code by e-mail: first they give the address, then the code. */
export function CodeSignIn({
  code,
  address = '',
  children,
  ...rest
}: Omit<EnterCodeProps, 'sent'> & {
  /** `address` fills the field at first. */
  readonly address?: string
  readonly children?: ReactNode
}) {
  const words = useWords()
  return (
    <section
      aria-labelledby="code-title"
      className={clsx(
        'flex min-w-0 flex-col px-gutter py-5 sm:p-7',
        (code.pending || code.sent) && roomForCode,
      )}
    >
      <h2 id="code-title" className="font-heading text-base">
        {words('signIn.code')}
      </h2>
      {code.sent ? (
        <EnterCode key={code.sent.email} code={code} sent={code.sent} {...rest} />
      ) : (
        <>
          <RequestCode code={code} address={rest.signedUpAs ?? address} />
          {children && <div className="mt-5 text-muted text-sm">{children}</div>}
        </>
      )}
    </section>
  )
}

/**
 * The room is taken when a code is asked for, a second before it is sent. Otherwise the page below would move with
 * the answer.
 */
const roomForCode = 'min-h-[31rem]'

function RequestCode({ code, address }: { readonly code: CodeRequest; readonly address: string }) {
  const { state, pending } = code
  const { errorOf, onInput } = useFieldErrors(state)
  const form = useRef<HTMLFormElement>(null)
  // The draft ends with the sign-in: until then another code may be asked for, also after a reload.
  useDraft(form, 'code')
  const words = useWords()
  return (
    <form
      ref={form}
      method="dialog"
      noValidate
      onInput={onInput}
      onSubmit={(event) => code.request(submittedText(event, 'email'))}
    >
      <p className="mt-1 mb-4 text-muted text-table">{words('signIn.codeLead')}</p>
      <EmailField
        error={errorOf('email')}
        defaultValue={'values' in state ? String(state.values.email ?? '') : address}
      />
      <ActionOutcome state={state} className="mt-3" />
      <Button type="submit" variant="primary" size="lg" className="mt-3 w-full" pending={pending}>
        {words(pending ? 'signIn.sending' : 'signIn.send')}
      </Button>
    </form>
  )
}

interface EnterCodeProps {
  readonly code: CodeRequest
  readonly sent: SentCode
  /**
   * This browser has just signed up with `signedUpAs`. It does not say whether the address has an account
   * elsewhere.
   */
  readonly signedUpAs?: string
  readonly codeDeliveryStatus: Action<CodeDeliveryProblem | null>
  readonly merchant: string
  readonly serviceHost: string
  readonly sandboxUrl: string | null
  readonly onSignedIn: () => void
}

/** The form has the field for the code, what happened to its mail, and the ways to another code. */
function EnterCode({
  code,
  sent,
  signedUpAs,
  codeDeliveryStatus,
  merchant,
  serviceHost,
  sandboxUrl,
  onSignedIn,
}: EnterCodeProps) {
  const field = useRef<HTMLInputElement>(null)
  const { check, checking, signedIn, refusal, forget } = useCheckCode(sent, onSignedIn)
  const dead = useDeadCode(refusal === 'code-used-up', code, sent)
  const clear = () => {
    if (field.current) field.current.value = ''
    field.current?.focus()
  }
  useEffect(() => {
    if (sent.count > 1) field.current?.focus()
  }, [sent.count])
  const deliveryProblem = useCodeDeliveryStatus(codeDeliveryStatus, sent, !signedIn)
  const words = useWords()
  const refusalWords = useRefusalWords()
  const perhaps = signedUpAs === undefined ? 'perhapsSent' : 'sent'
  const said = {
    address: sent.email,
    merchant,
    kind: sent.count > 1 ? 'again' : 'first',
    email: (address: readonly ReactNode[]) => (
      <strong key="address" className="break-words font-strong text-text">
        {address}
      </strong>
    ),
  }
  return (
    <>
      <form
        method="dialog"
        noValidate
        onSubmit={async (event) => {
          if ((await check(submittedText(event, 'code'))) === 'code-used-up') clear()
        }}
      >
        <p className="mt-1 mb-4 text-muted text-table" role="status">
          {/* Another code is another message, even if its text is the same. */}
          <span key={sent.count}>
            {sandboxUrl
              ? words.rich(`signIn.${perhaps}Sandbox`, said)
              : words.rich(`signIn.${perhaps}`, { ...said, host: serviceHost })}
          </span>
        </p>
        {deliveryProblem && (
          <RefusalCallout
            refusal={
              deliveryProblem === 'bounced'
                ? {
                    title: words('signIn.bounced'),
                    next: words('signIn.bouncedNext', { address: sent.email }),
                  }
                : { title: words('signIn.noneSent'), next: refusalWords(deliveryProblem).next }
            }
            className="mb-4"
          />
        )}
        <TextField
          label={words('signIn.codeField')}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          // The contract does not say that codes are digits; only the sandbox's are.
          inputMode={sandboxUrl ? 'numeric' : 'text'}
          maxLength={500}
          required
          mono
          autoFocus
          ref={field}
          onChange={refusal === null || refusal === 'code-used-up' ? undefined : forget}
          aside={sandboxUrl && <MailboxLink sandboxUrl={sandboxUrl} email={sent.email} />}
          className="[&_input]:tracking-[0.2em]"
        />
        {refusal && (
          <RefusalCallout
            refusal={dead ?? (typeof refusal === 'object' ? refusal : refusalWords(refusal))}
            className="mt-3"
          />
        )}
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="mt-3 w-full"
          pending={checking || signedIn}
        >
          {words(checking ? 'signIn.checking' : signedIn ? 'signIn.opening' : 'signIn.signIn')}
        </Button>
      </form>
      <ActionOutcome state={code.state} className="mt-3" />
      <OtherCode code={code} sent={sent} />
      <p className="mt-4 text-muted text-sm">
        {words('signIn.nothingYet', { merchant })}{' '}
        {words(signedUpAs === undefined ? 'signIn.bothLost' : 'signIn.knownElsewhere')}
      </p>
    </>
  )
}

/** The person asks for another code to the same address once the wait is over, or gives another address. */
function OtherCode({ code, sent }: Pick<EnterCodeProps, 'code' | 'sent'>) {
  const wait = useCountdown(sent.resendAt)
  const words = useWords()
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
        <span className="num">
          {wait > 0 ? words('signIn.newCodeIn', { seconds: wait }) : words('signIn.newCode')}
        </span>
      </Button>
      <Button variant="ghost" size="sm" className="-mr-2.5" onClick={code.restart}>
        {words('signIn.otherAddress')}
      </Button>
    </div>
  )
}

/** The link opens the sandbox's mailbox of one address. */
function MailboxLink({ sandboxUrl, email }: { readonly sandboxUrl: string; readonly email: string }) {
  return (
    <a
      href={`${new URL('/mailbox', sandboxUrl).href}?email=${encodeURIComponent(email)}`}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1 text-muted underline hover:text-text"
    >
      {useWords()('signIn.mailbox')}
      <ExternalLink className="size-3" aria-hidden />
    </a>
  )
}
