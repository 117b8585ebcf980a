'use client'

import { useWords } from '#components/ui/browser/words.tsx'
import type { SignInRefusal } from '#lib/identity/rules/sign-in-refusal.ts'
import type { CustomerRefusal } from '#lib/words/messages/sign-in-refusals.ts'

/** Says in the reader's language why they were not signed in by wallet or code. What only staff meet went wrong here. */
export function useRefusalWords(): (why: SignInRefusal) => Words {
  const words = useWords()
  return (why) => {
    const known: CustomerRefusal = isForCustomers(why) ? why : 'went-wrong'
    return { title: words(`signInRefusals.${known}.title`), next: words(`signInRefusals.${known}.next`) }
  }
}

interface Words {
  readonly title: string
  readonly next: string
}

const isForCustomers = (why: SignInRefusal): why is CustomerRefusal => !/^(passkey|sso)-/.test(why)
