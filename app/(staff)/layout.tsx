import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { NoticeBell } from '#components/audit/notices/notice-list.tsx'
import { SessionLock } from '#components/identity/session/session-lock.tsx'
import { Breadcrumb } from '#components/operations/shell/breadcrumb.tsx'
import { Drawer } from '#components/operations/shell/drawer.tsx'
import { SectionTabs } from '#components/operations/shell/navigation.tsx'
import { PageStateIndicator } from '#components/operations/shell/page-state-indicator.tsx'
import { pageStateMeanings } from '#components/operations/shell/page-state-meanings.ts'
import { pagesFor, placesFor } from '#components/operations/shell/places.ts'
import { KeysLater, Shortcuts } from '#components/operations/shell/shortcuts.tsx'
import { Sidebar } from '#components/operations/shell/sidebar.tsx'
import { UserMenu } from '#components/operations/shell/user-menu.tsx'
import { WatchPageChange } from '#components/operations/shell/watch-page-change.tsx'
import { PaletteTrigger } from '#components/search/palette/palette-host.tsx'
import { parseTheme, themeCookie } from '#components/ui/browser/theme.ts'
import { Phone } from '#components/ui/browser/use-media.tsx'
import { DoneLine } from '#components/ui/form/done-line.tsx'
import { Drafts } from '#components/ui/form/drafts.tsx'
import { type FreshSignInActions, FreshSignInProvider } from '#components/ui/form/fresh-sign-in-actions.ts'
import { Live } from '#components/ui/live/live.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { SkipLink } from '#components/ui/skip-link.tsx'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { may } from '#lib/access/rules/roles.ts'
import { countUnseenNotices } from '#lib/audit/notices/notices.ts'
import { passkeysWork } from '#lib/identity/passkeys/passkey-challenges.ts'
import { findSession, readChoice } from '#lib/identity/sessions/read-request.ts'
import { activeSession } from '#lib/identity/sessions/session-state.ts'
import { startOfPage } from '#lib/live/start-of-page.ts'
import { env } from '#lib/platform/env.ts'
import { beginPasskeySignInAction } from '../actions.ts'
import { beginConfirmationAction, confirmWithPasskeyAction, readFreshnessAction } from './profile/actions.ts'

const freshSignInActions: FreshSignInActions = {
  status: readFreshnessAction,
  begin: beginConfirmationAction,
  confirm: confirmWithPasskeyAction,
}

/** All staff pages have this shell. It checks no permission: each page asks who is calling, and sends others away. */
export default async function StaffLayout({ children }: { readonly children: ReactNode }) {
  const caller = await findSession()
  if (!caller || !may(caller.role, 'see-everything'))
    return <main className="grid min-h-dvh content-center px-gutter">{children}</main>
  const [start, unseen] = await Promise.all([
    startOfPage(caller),
    may(caller.role, 'read-notices') ? countUnseenNotices(caller) : null,
  ])
  const session = activeSession(caller)
  const name = caller.name ?? caller.email ?? roleLabels[caller.role]
  const places = placesFor(caller.role).flatMap((group) => group.places)
  // One element in two places is sent once.
  const sidebar = <Sidebar role={caller.role} />
  return (
    <Live url="/api/live" name={`rampart-live ${session.person}`} {...start}>
      <FreshSignInProvider value={freshSignInActions}>
        <SkipLink />
        <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-[14.5rem_minmax(0,1fr)] print:block">
          <aside className="hidden border-r lg:block print:hidden">
            <div className="sticky top-0 h-dvh overflow-y-auto">{sidebar}</div>
          </aside>
          <div className="min-w-0">
            {/* The header has one line, unless large text leaves too little room for it. */}
            <div className="@container sticky top-0 z-30 border-b bg-bg print:hidden">
              <header className="flex min-h-13.25 items-center gap-x-3 gap-y-1 px-gutter py-1 @max-md:gap-x-1 text-muted text-sm sm:px-7 @max-xs:flex-wrap">
                <Drawer>{sidebar}</Drawer>
                <Breadcrumb />
                {/* This part is at the right of its line, however long the page's name is. */}
                <div className="ml-auto flex min-w-0 items-center justify-end gap-x-3 gap-y-1 @max-md:gap-x-1 @max-xs:grow @max-xs:flex-wrap">
                  <PaletteTrigger compact />
                  <PageStateIndicator meanings={pageStateMeanings} />
                  {unseen !== null && <NoticeBell unseen={unseen} />}
                  {env().sandboxUrl && <Tag className="@max-md:hidden">Sandbox</Tag>}
                  <UserMenu
                    name={name}
                    detail={[roleLabels[caller.role], caller.name ? caller.email : null]
                      .filter(Boolean)
                      .join(' · ')}
                    theme={parseTheme(await readChoice(themeCookie))}
                    ownSignIns="/profile"
                  />
                </div>
              </header>
            </div>
            <main
              id="main"
              tabIndex={-1}
              className="@container/main max-w-[105rem] has-[[data-split]]:max-w-[140rem] px-gutter pt-6 pb-16 outline-none sm:px-7 print:max-w-none print:px-2 print:py-0"
            >
              <SectionTabs places={places.filter(({ tabs }) => tabs)} />
              <Phone is={(await headers()).get('sec-ch-ua-mobile') === '?1'}>
                <Drafts person={session.person}>
                  <DoneLine>{children}</DoneLine>
                </Drafts>
              </Phone>
            </main>
          </div>
        </div>
        <SessionLock
          session={session}
          name={name}
          beginPasskey={passkeysWork() ? beginPasskeySignInAction : null}
        />
        <WatchPageChange />
        <Shortcuts
          role={caller.role}
          person={session.person}
          pages={pagesFor(caller.role).map(({ href, name }) => ({ href, name }))}
        />
        <KeysLater />
      </FreshSignInProvider>
    </Live>
  )
}
