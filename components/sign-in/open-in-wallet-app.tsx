'use client'

import { useWords } from '../words.tsx'
import { useIsPhone } from './use-is-phone.ts'
import { WalletAppLinks } from './wallet-app-links.tsx'
import { walletApps } from './wallet-apps.ts'

/** Where a browser has no wallet: on a phone, links that open this very page in the browser inside a wallet's app. */
export function OpenInWalletApp({ of }: { readonly of: 'signIn' | 'signUp' }) {
  const words = useWords()
  if (!useIsPhone()) {
    return <p className="mt-1 text-muted text-sm">{words(`${of}.noWallet`)}</p>
  }
  return (
    <div className="mt-1 grid gap-2">
      <p className="text-muted text-sm">{words(`${of}.noWalletPhone`)}</p>
      <WalletAppLinks
        links={walletApps.flatMap(({ name, openPage }) =>
          openPage ? { name, href: openPage(window.location.href) } : [],
        )}
      />
    </div>
  )
}
