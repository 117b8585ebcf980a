'use client'

import { useIsPhone } from './use-is-phone.ts'
import { WalletAppLinks } from './wallet-app-links.tsx'
import { walletApps } from './wallet-apps.ts'

/** Where a browser has no wallet: on a phone, links that open this very page in the browser inside a wallet's app. */
export function OpenInWalletApp({ otherwise }: { readonly otherwise: string }) {
  if (!useIsPhone()) {
    return (
      <p className="mt-1 text-muted text-sm">
        No wallet was found in this browser. {otherwise}, or open this page in the browser that has your
        wallet, such as the one inside a wallet’s app.
      </p>
    )
  }
  return (
    <div className="mt-1 grid gap-2">
      <p className="text-muted text-sm">
        No wallet was found in this browser. {otherwise}, or open this page in your wallet’s app:
      </p>
      <WalletAppLinks
        links={walletApps.flatMap(({ name, openPage }) =>
          openPage ? { name, href: openPage(window.location.href) } : [],
        )}
      />
    </div>
  )
}
