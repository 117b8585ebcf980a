'use client'

import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import type { CustomerRefusal } from '#lib/labels/messages/sign-in-refusals.ts'
import { useWords } from '../browser/words.tsx'
import type { RefusalText } from '../form/refusal-callout.tsx'

/** Says in the reader's language why they were not signed in by wallet or code. What only staff meet went wrong here. */
export function useRefusalWords(): (why: SignInRefusal) => RefusalText {
  const words = useWords()
  return (why) => {
    const known: CustomerRefusal = isForCustomers(why) ? why : 'went-wrong'
    return { title: words(`signInRefusals.${known}.title`), next: words(`signInRefusals.${known}.next`) }
  }
}

const isForCustomers = (why: SignInRefusal): why is CustomerRefusal => !/^(passkey|sso)-/.test(why)
