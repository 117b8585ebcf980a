'use client'

import { useQuery } from '@tanstack/react-query'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useIsPhone } from './use-is-phone.ts'
import type { WalletConnect } from './use-wallet-connect.ts'
import { WalletAppLinks } from './wallet-app-links.tsx'
import { pairingLink, walletApps } from './wallet-apps.ts'

/** Brings page and wallet together: by links on a phone, by a QR code elsewhere. */
export function WalletConnectPanel({ wallet }: { readonly wallet: WalletConnect }) {
  const isPhone = useIsPhone()
  const words = useWords()
  const { uri } = wallet
  return (
    <div className="grid justify-items-center gap-3.5 rounded-row border border-line-strong p-4">
      <p className="text-center text-sm" role="status">
        {words(
          uri === null ? 'signIn.loadingWalletConnect' : isPhone ? 'signIn.agreeOnPhone' : 'signIn.scan',
        )}
      </p>
      {uri === null ? (
        <Skeleton className="aspect-square w-52 max-w-full" />
      ) : isPhone ? (
        <WalletAppLinks
          links={walletApps.flatMap(({ name, connectAt }) =>
            connectAt
              ? { name, href: pairingLink(connectAt, uri), onOpen: () => rememberApp(name, connectAt) }
              : [],
          )}
        />
      ) : (
        <QrCode text={uri} />
      )}
      <div className="flex flex-wrap justify-center gap-2">
        {uri !== null && (
          <CopyButton text={uri} variant="ghost">
            {words('signIn.copyConnection')}
          </CopyButton>
        )}
        <Button variant="ghost" onClick={wallet.leave}>
          {words('form.cancel')}
        </Button>
      </div>
    </div>
  )
}

/** WalletConnect's client opens this app by itself when there is something to sign in it. */
function rememberApp(name: string, href: string) {
  try {
    window.localStorage.setItem('WALLETCONNECT_DEEPLINK_CHOICE', JSON.stringify({ name, href }))
  } catch {
    // A browser may keep nothing: then the person opens the app by hand.
  }
}

/** Drawn as squares, dark on light whatever the theme: cameras read it so. */
function QrCode({ text }: { readonly text: string }) {
  const words = useWords()
  const { data: rows } = useQuery({
    queryKey: ['qr code', text],
    queryFn: async () => (await import('uqr')).encode(text, { ecc: 'M', border: 2 }).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!rows) return <Skeleton className="aspect-square w-52 max-w-full" />
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      className="aspect-square w-52 max-w-full rounded-control"
      role="img"
      aria-label={words('signIn.qrCode')}
      shapeRendering="crispEdges"
    >
      <path d={`M0 0h${rows.length}v${rows.length}h-${rows.length}z`} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
