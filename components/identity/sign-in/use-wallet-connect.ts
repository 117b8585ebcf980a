'use client'

import { useRef, useState } from 'react'
import { isScriptGone } from '#components/ui/browser/is-script-gone.ts'
import { whyUnanswered } from '#components/ui/form/call-action.ts'
import type { Unanswered } from '#lib/platform/forms/action-state.ts'
import type { ConnectedSigner } from './wallet-connect.ts'
import { readWalletFailure, type WalletFailure } from './wallet-failure.ts'

export interface WalletConnect {
  /** Whether the merchant has set it up. */
  readonly offered: boolean
  readonly state: 'closed' | 'loading' | 'waiting' | 'connected'
  /** What the wallet is given while it is waited for. */
  readonly uri: string | null
  readonly signer: ConnectedSigner | null
  readonly failure: WalletFailure | { readonly why: Unanswered } | null
  readonly open: () => void
  readonly leave: () => void
  /** The wallet forgets this page: nobody can ask it for more signatures. */
  readonly end: () => void
}

/** A wallet on another device, or in another app of this one; null `projectId` means there is none. */
export function useWalletConnect(projectId: string | null, merchant: string): WalletConnect {
  const [state, setState] = useState<WalletConnect['state']>('closed')
  const [uri, setUri] = useState<string | null>(null)
  const [signer, setSigner] = useState<ConnectedSigner | null>(null)
  const [failure, setFailure] = useState<WalletConnect['failure']>(null)
  /** Which opening is meant: what an earlier one still brings is not looked at. */
  const opening = useRef(0)

  const open = async () => {
    if (projectId === null) return
    const mine = ++opening.current
    const isMine = () => opening.current === mine
    setFailure(null)
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
  // Where the wallet cannot be reached now, it ends by itself after some days.
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
