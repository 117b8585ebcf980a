'use client'

import { useSyncExternalStore } from 'react'
import { useWords } from '#components/ui/browser/words.tsx'
import { WalletAppLinks } from './wallet-app-links.tsx'
import { walletApps } from './wallet-apps.ts'

/**
 * Where a browser has no wallet: on a phone, links that open this very page in the browser inside a wallet's app. The
 * stylesheet knows what is a phone, so that the first paint has the room of either.
 */
export function OpenInWalletApp({
  advice,
}: {
  readonly advice: 'signIn.noWallet' | 'signIn.noWalletButWalletConnect' | 'signUp.noWallet'
}) {
  const words = useWords()
  const here = useSyncExternalStore(
    never,
    () => window.location.href,
    () => null,
  )
  const links = walletApps.flatMap(({ name, openPage }) =>
    openPage ? { name, href: here === null ? undefined : openPage(here) } : [],
  )
  return (
    <>
      <p className="mt-1 text-muted text-sm phone:hidden">{words(advice)}</p>
      <div className="mt-1 hidden gap-2 phone:grid">
        <p className="text-muted text-sm">{words(`${advice}Phone`)}</p>
        <WalletAppLinks links={links} />
      </div>
    </>
  )
}

const never = () => () => {}
