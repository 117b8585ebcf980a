'use client'

import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { inStorage } from '#components/ui/browser/in-storage.ts'
import { isScriptGone } from '#components/ui/browser/loaded-later.ts'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { whyUnanswered } from '#components/ui/form/call-action.ts'
import type { Unanswered } from '#lib/platform/forms/action-state.ts'
import { pairingLink, useIsPhone, WalletAppLinks, walletApps } from './wallet-app-links.tsx'
import type { ConnectedSigner } from './wallet-connect.ts'
import { readWalletFailure, type WalletFailure } from './wallet-failure.tsx'

/** A phone connects page and wallet by links, other devices by a QR code. */
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

/**
 * WalletConnect's client opens this app automatically when there is something to sign in it. A browser may store nothing:
 * then the person opens the app by hand.
 */
const rememberApp = (name: string, href: string) =>
  inStorage('localStorage', (storage) =>
    storage.setItem('WALLETCONNECT_DEEPLINK_CHOICE', JSON.stringify({ name, href })),
  )

/** The squares are dark on light in every theme, because cameras need that. */
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

export interface WalletConnect {
  /** The merchant has set it up. */
  readonly offered: boolean
  readonly state: 'closed' | 'loading' | 'waiting' | 'connected'
  /** The wallet gets this uri while the page waits for it. */
  readonly uri: string | null
  readonly signer: ConnectedSigner | null
  readonly failure: WalletFailure | { readonly why: Unanswered } | null
  readonly open: () => void
  readonly leave: () => void
  /** `end` makes the wallet forget this page, so nobody can ask it for more signatures. */
  readonly end: () => void
}

/** The wallet is on another device, or in another app of this one. `projectId` is null when there is none. */
export function useWalletConnect(projectId: string | null, merchant: string): WalletConnect {
  const [state, setState] = useState<WalletConnect['state']>('closed')
  const [uri, setUri] = useState<string | null>(null)
  const [signer, setSigner] = useState<ConnectedSigner | null>(null)
  const [failure, setFailure] = useState<WalletConnect['failure']>(null)
  /** The number names the present opening. Results of an earlier one are ignored. */
  const opening = useRef(0)

  const open = async () => {
    if (projectId === null) return
    const mine = ++opening.current
    const isMine = () => opening.current === mine
    setFailure(null)
    // No wallet can use the uri of an earlier opening.
    setUri(null)
    setState('loading')
    const asked = Date.now()
    try {
      const { openPairing } = await import('./wallet-connect.ts')
      const pairing = await openPairing(projectId, merchant)
      if (!isMine()) return
      setUri(pairing.uri)
      setState('waiting')
      const connected = await pairing.signer
      if (!isMine()) return await connected.disconnect()
      setSigner(connected)
      setState('connected')
    } catch (error) {
      if (!isMine()) return
      setFailure(
        isScriptGone(error) ? { why: whyUnanswered(error) } : readWalletFailure(error, Date.now() - asked),
      )
      setState('closed')
    }
  }
  // A connection that cannot be closed now ends by itself after some days.
  const end = () => void signer?.disconnect().catch(() => {})
  const leave = () => {
    opening.current++
    setState('closed')
    setUri(null)
    setSigner(null)
    end()
  }
  return { offered: projectId !== null, state, uri, signer, failure, open: () => void open(), leave, end }
}
