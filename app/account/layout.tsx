import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { AccountFrame } from '#components/account/account-frame.tsx'
import { Live } from '#components/live/live.tsx'
import { LiveIndicator } from '#components/live/live-indicator.tsx'
import { UserMenu } from '#components/shell/user-menu.tsx'
import { parseTheme, themeCookie } from '#components/theme.ts'
import { Tag } from '#components/ui/pill.tsx'
import { readChoice } from '#lib/auth/read-choice.ts'
import { activeSession } from '#lib/auth/read-session-state.ts'
import { findSession } from '#lib/auth/require-session.ts'
import { env } from '#lib/env.ts'
import { startOfPage } from '#lib/live/start-of-page.ts'
import type { Caller } from '#lib/request/caller.ts'
import { readSettings } from '#lib/settings/read-settings.ts'

export async function generateMetadata(): Promise<Metadata> {
  const { merchantName: name } = await readSettings()
  return { title: { default: `My account · ${name}`, template: `%s · ${name}` } }
}

/** In place of an address. */
const howOf = ({ userUuid }: Caller) => (userUuid === null ? 'Member of the team' : 'Signed in by wallet')

/** The frame of an end user's pages. It decides nothing: each page asks by itself who is calling. */
export default async function AccountLayout({ children }: { readonly children: ReactNode }) {
  const caller = await findSession()
  if (!caller) return children
  const { merchantName, mark } = await readSettings()
  const start = await startOfPage(caller)
  const name = caller.name ?? caller.email ?? 'Signed in'
  return (
    <Live url="/api/live" name={`rampart-live ${activeSession(caller).person}`} {...start}>
      <AccountFrame
        merchant={merchantName}
        mark={mark}
        aside={
          <>
            <LiveIndicator />
            {env().sandboxUrl && <Tag>Sandbox</Tag>}
            <UserMenu
              name={name}
              detail={caller.name ? (caller.email ?? howOf(caller)) : 'My account'}
              theme={parseTheme(await readChoice(themeCookie))}
              ownSignIns="/account/sign-ins"
            />
          </>
        }
      >
        {children}
      </AccountFrame>
    </Live>
  )
}
