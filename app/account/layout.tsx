import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { UserMenu } from '#components/operations/shell/user-menu.tsx'
import { WatchPageChange } from '#components/operations/shell/watch-page-change.tsx'
import { AccountShell } from '#components/people/own/account-shell.tsx'
import { LanguageChoice } from '#components/people/own/language-choice.tsx'
import { OwnLiveIndicator } from '#components/people/own/own-live-indicator.tsx'
import { parseTheme, themeCookie } from '#components/ui/browser/theme.ts'
import { WordsProvider } from '#components/ui/browser/words.tsx'
import { DoneLine } from '#components/ui/form/done-line.tsx'
import { Drafts } from '#components/ui/form/drafts.tsx'
import { Live } from '#components/ui/live/live.tsx'
import { Tag } from '#components/ui/pill.tsx'
import type { Caller } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { findSession, readChoice } from '#lib/identity/sessions/read-request.ts'
import { activeSession } from '#lib/identity/sessions/session-state.ts'
import { startOfPage } from '#lib/live/start-of-page.ts'
import { env } from '#lib/platform/env.ts'
import { readSettings } from '#lib/platform/settings/settings.ts'
import type { CustomerWords } from '#lib/words/labels/customer-labels.ts'
import { clientMessages } from '#lib/words/sentences.ts'
import { readWords, titleOf } from '../read-words.ts'

export async function generateMetadata(): Promise<Metadata> {
  const { merchantName: name } = await readSettings()
  const words = await readWords()
  return {
    title: { default: titleOf(`${words('account.title')} · ${name}`), template: titleOf(`%s · ${name}`) },
  }
}

/** A person without an address is named by how they signed in. */
const howOf = (words: CustomerWords, { userUuid }: Caller) =>
  words(userUuid === null ? 'account.ofTheTeam' : 'account.byWallet')

/** All end users' pages have this shell. It checks no permission: each page asks who is calling. */
export default async function AccountLayout({ children }: { readonly children: ReactNode }) {
  const caller = await findSession()
  if (!caller) return children
  const { merchantName, mark } = await readSettings()
  const start = await startOfPage(caller)
  const { person } = activeSession(caller)
  const words = await readWords()
  const { language } = words
  const name = caller.name ?? caller.email ?? words('account.signedIn')
  const messages = clientMessages(language, ['ui', 'form', 'sessions', 'alarm', 'signUpWallet'])
  return (
    <WordsProvider language={language} messages={messages}>
      <Live url="/api/live" name={`rampart-live ${person}`} {...start}>
        <AccountShell
          merchant={merchantName}
          mark={mark}
          aside={
            <>
              <OwnLiveIndicator />
              {env().sandboxUrl && <Tag>Sandbox</Tag>}
              <UserMenu
                name={name}
                detail={caller.name ? (caller.email ?? howOf(words, caller)) : words('account.title')}
                theme={parseTheme(await readChoice(themeCookie))}
                ownSignIns="/account/sign-ins"
                // The shell is 64rem wide, less its padding, and centred.
                placed="right-gutter sm:right-[max(1.5rem,calc(50%-30.5rem))]"
                words={{
                  menu: words('account.menu'),
                  signIns: words('account.signIns'),
                  signOut: words('account.signOut'),
                }}
              >
                {!may(caller.role, 'see-everything') && (
                  <div className="px-2 pb-1.5">
                    <LanguageChoice label={words('account.language')} language={language} />
                  </div>
                )}
              </UserMenu>
            </>
          }
        >
          <Drafts person={person}>
            <DoneLine>{children}</DoneLine>
          </Drafts>
        </AccountShell>
        <WatchPageChange
          words={{
            late: [words('account.pageChange.late'), words('account.pageChange.lateNext')],
            noServer: [words('account.pageChange.noServer'), words('account.pageChange.noServerNext')],
            noNetwork: [words('account.pageChange.noNetwork'), words('account.pageChange.noNetworkNext')],
          }}
        />
      </Live>
    </WordsProvider>
  )
}
