'use client'

import { useState, useSyncExternalStore } from 'react'
import type { Action } from '#lib/forms/action-state.ts'
import { callAction } from '../form/call-action.ts'
import type { RefusalText } from '../refusal-callout.tsx'
import type { Signer } from './signer.ts'
import { forgetThrowAwayKey, readThrowAwayKey } from './throw-away-key.ts'

export interface ThrowAway {
  /** Null until it was clicked. */
  readonly signer: Signer | null
  /** The address that this browser's key has, when it was used before. */
  readonly known: string | null
  readonly opening: boolean
  readonly refusal: RefusalText | null
  readonly open: () => void
  /** With a new key, as another person. */
  readonly openNew: () => void
  readonly leave: () => void
}

/** The sandbox's throw-away wallet, whose account is made on first use; null `createAccount` means there is none. */
export function useThrowAway(
  createAccount: Action<{ readonly address: string; readonly name: string }> | null,
): ThrowAway & { readonly offered: boolean } {
  const [signer, setSigner] = useState<Signer | null>(null)
  const [opening, setOpening] = useState(false)
  const [refusal, setRefusal] = useState<ThrowAway['refusal']>(null)
  const known = useSyncExternalStore(
    never,
    () => readThrowAwayKey()?.address ?? null,
    () => null,
  )
  const open = async () => {
    if (!createAccount) return
    setOpening(true)
    setRefusal(null)
    const { openThrowAwayWallet } = await import('./throw-away-wallet.ts')
    const wallet = openThrowAwayWallet()
    const answer = await callAction(createAccount, { address: wallet.address })
    setOpening(false)
    if (answer.kind === 'done') setSigner(wallet)
    else setRefusal(answer.kind === 'refused' ? answer : wentWrong)
  }
  return {
    offered: createAccount !== null,
    signer,
    known,
    opening,
    refusal,
    open,
    openNew: () => {
      forgetThrowAwayKey()
      void open()
    },
    leave: () => setSigner(null),
  }
}

const wentWrong = { title: 'The sandbox opened no account.', next: 'Try again, or make a new wallet.' }

const never = () => () => {}
