'use client'

import { ExternalLink } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useMedia } from '#components/ui/browser/use-media.tsx'
import { useWords } from '#components/ui/browser/words.tsx'

interface WalletAppLink {
  readonly name: string
  /** The address is unknown until the page has hydrated. */
  readonly href: string | undefined
  readonly onOpen?: () => void
}

/** Each link opens a wallet's app and is large enough for a thumb. */
export function WalletAppLinks({ links }: { readonly links: readonly WalletAppLink[] }) {
  const words = useWords()
  return (
    <ul className="grid w-full gap-2">
      {links.map(({ name, href, onOpen }) => (
        <li key={name}>
          <a
            href={href}
            // This page stays open, also when the app is not installed.
            target="_blank"
            rel="noreferrer"
            onClick={onOpen}
            className="flex min-h-11.5 items-center justify-between gap-3 rounded-row border border-line-strong px-3 font-strong text-table hover:bg-hover"
          >
            {words('signIn.openIn', { app: name })}
            <ExternalLink className="size-4 text-faint" aria-hidden />
          </a>
        </li>
      ))}
    </ul>
  )
}

/**
 * A browser without a wallet shows this. On a phone, the links open this very page in the browser inside a wallet's
 * app. The stylesheet decides what is a phone, so that the first paint has room for either.
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

/** A wallet for phones has the links of its own documentation. */
interface WalletApp {
  readonly name: string
  /** `openPage` opens an address in the browser inside the app; null when none is documented. */
  readonly openPage: ((page: string) => string) | null
  /** `connectAt` accepts WalletConnect's links; null when none is documented. */
  readonly connectAt: string | null
}

/** The links are web addresses of the wallets' makers, which say what to do when the app is not installed. */
export const walletApps: readonly WalletApp[] = [
  {
    name: 'MetaMask',
    openPage: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, '')}`,
    connectAt: 'https://metamask.app.link',
  },
  {
    name: 'Coinbase Wallet',
    openPage: (page) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page)}`,
    connectAt: null,
  },
  {
    name: 'Trust Wallet',
    // 60 is Ethereum (SLIP-44).
    openPage: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(page)}`,
    connectAt: 'https://link.trustwallet.com',
  },
  { name: 'Rainbow', openPage: null, connectAt: 'https://rnbwapp.com' },
]

/** The link gives a WalletConnect connection to an app. */
export const pairingLink = (connectAt: string, uri: string) =>
  `${connectAt}/wc?uri=${encodeURIComponent(uri)}`

const query = '(hover: none) and (pointer: coarse)'

/** The device has only touch, so wallets are other apps on it. False on the server. */
export const useIsPhone = (): boolean => useMedia(query)
