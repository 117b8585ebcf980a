import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { LanguageChoice } from '#components/people/own/language-choice.tsx'
import { supportOf } from '#components/people/own/start-verification.tsx'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { DraftsBeforeSignIn } from '#components/ui/form/drafts.tsx'
import { MerchantMark } from '#components/ui/shared/merchant.tsx'
import { may } from '#lib/access/rules/roles.ts'
import { findSession } from '#lib/identity/sessions/read-request.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { readWords, whatItIs } from '../read-words.ts'

const parts = ['ui', 'form', 'signIn', 'walletFailures', 'signInRefusals', 'signUp'] as const

/** Link previews are made without a session, so every link leads them to this description. */
export const metadata: Metadata = {
  openGraph: {
    title: 'Rampart',
    description: whatItIs,
    images: [{ url: '/social.png', width: 1200, height: 630 }],
  },
}

/** The pages before a sign-in have the merchant's name. */
export default async function AuthLayout({ children }: { readonly children: ReactNode }) {
  const { merchantName, mark, supportContact } = await readSettings()
  const words = await readWords()
  const { language } = words
  const caller = await findSession()
  return (
    <WordsProvider language={language} messages={clientMessages(language, parts)}>
      {/* The content begins at the top. In the middle it would move whenever more of it appears, such as a wallet
          that is found. */}
      <main className="mx-auto max-w-[56rem] px-gutter pt-[clamp(2.5rem,12dvh,8rem)] pb-10 sm:px-6">
        <MerchantMark name={merchantName} mark={mark} whole className="mb-5 justify-center text-lg" />
        <DraftsBeforeSignIn>{children}</DraftsBeforeSignIn>
        <div className="mt-5 flex flex-wrap items-center justify-center gap-x-6 gap-y-3 text-muted text-sm">
          <p className="text-center">
            {words.rich('signIn.trouble', supportOf(merchantName, supportContact))}
          </p>
          {!(caller && may(caller.role, 'see-everything')) && (
            <LanguageChoice label={words('account.language')} language={language} />
          )}
        </div>
      </main>
    </WordsProvider>
  )
}
