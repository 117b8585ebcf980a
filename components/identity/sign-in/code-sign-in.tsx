'use client'

import { clsx } from 'clsx'
import { type ReactNode, useRef } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { ActionOutcome } from '#components/ui/form/action-outcome.tsx'
import { EmailField } from '#components/ui/form/email-field.tsx'
import { submittedText } from '#components/ui/form/submitted-text.ts'
import { useDraft } from '#components/ui/form/use-draft.ts'
import { useFieldErrors } from '#components/ui/form/use-field-errors.ts'
import { EnterCode, type EnterCodeProps } from './enter-code.tsx'
import type { CodeRequest } from './use-code-request.ts'

/** Signing in with a code by e-mail: first the address, then the code. */
export function CodeSignIn({
  code,
  address = '',
  children,
  ...rest
}: Omit<EnterCodeProps, 'sent'> & {
  /** What stands in the field at first. */
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

/** Taken when a code is asked for, a second before it is sent: what stands below would move with the answer. */
const roomForCode = 'min-h-[31rem]'

function RequestCode({ code, address }: { readonly code: CodeRequest; readonly address: string }) {
  const { state, pending } = code
  const { errorOf, onInput } = useFieldErrors(state)
  const form = useRef<HTMLFormElement>(null)
  // The sign-in ends it: until then another code may be asked for, after a reload too.
  useDraft(form, 'code')
  const words = useWords()
  return (
    <form
      ref={form}
      method="post"
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
