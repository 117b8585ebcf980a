'use client'

import { useState, useSyncExternalStore } from 'react'
import { inStorage } from '#components/ui/browser/in-storage.ts'
import { useWords } from '#components/ui/browser/words.tsx'
import { callAction, whyUnanswered } from '#components/ui/form/call-action.ts'
import { type RefusalText, refusalOf } from '#components/ui/form/refusal-callout.tsx'
import type { WalletProof } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { ActionState } from '#lib/platform/forms/action-state.ts'
import type { SignInActions } from './sign-in-result.ts'
import type { Signer } from './signing.tsx'
import type { PrivateKey } from './throw-away-wallet.ts'

export interface ThrowAway {
  /** The signer is null until the wallet was clicked. */
  readonly signer: Signer | null
  /** This browser's key has this address, when it was used before. */
  readonly known: string | null
  readonly opening: boolean
  readonly refusal: RefusalText | null
  readonly open: () => void
  /** `openNew` makes a new key, for another person. */
  readonly openNew: () => void
  readonly leave: () => void
}

/**
 * The sandbox's throw-away wallet makes its account on first use. Its key stays in this browser, so that the same
 * person returns. The action is null when there is no such wallet.
 */
export function useThrowAway({
  createThrowAwayAccount: createAccount,
  issueSignUpChallenge,
}: SignInActions): ThrowAway & { readonly offered: boolean } {
  const [signer, setSigner] = useState<Signer | null>(null)
  const [opening, setOpening] = useState(false)
  const [refusal, setRefusal] = useState<ThrowAway['refusal']>(null)
  const words = useWords()
  const known = useSyncExternalStore(
    never,
    () => readKept()?.address ?? null,
    () => null,
  )
  // The key is in this page and signs without a tap.
  const prove = async ({ address, chainId, sign }: Signer): Promise<ActionState<WalletProof>> => {
    const issued = await callAction(issueSignUpChallenge, { address, chainId })
    if (issued.kind !== 'done') return issued
    const { message } = issued.value
    return { kind: 'done', value: { message, signature: await sign(message) } }
  }
  const open = async () => {
    if (!createAccount) return
    setOpening(true)
    setRefusal(null)
    const script = await import('./throw-away-wallet.ts').catch((error) => ({ why: whyUnanswered(error) }))
    if ('why' in script) {
      setOpening(false)
      return setRefusal(script)
    }
    const wallet = script.openThrowAwayWallet(readKept()?.key ?? null)
    // A browser may store nothing at all; then each visit has its own wallet.
    inStorage('localStorage', (storage) =>
      storage.setItem(storageKey, `${wallet.key} ${wallet.signer.address}`),
    )
    const proof = await prove(wallet.signer)
    const answer = proof.kind === 'done' ? await callAction(createAccount, { wallet: proof.value }) : proof
    setOpening(false)
    if (answer.kind === 'done') setSigner(wallet.signer)
    else
      setRefusal(
        refusalOf(answer) ?? {
          title: words('signIn.throwAwayFailed'),
          next: words('signIn.throwAwayFailedNext'),
        },
      )
  }
  return {
    offered: createAccount !== null,
    signer,
    known,
    opening,
    refusal,
    open,
    openNew: () => {
      // The account of the old key stays at the sandbox.
      inStorage('localStorage', (storage) => storage.removeItem(storageKey))
      void open()
    },
    leave: () => setSigner(null),
  }
}

const storageKey = 'rampart.throw-away-wallet'

function readKept(): { readonly key: PrivateKey; readonly address: string } | null {
  const kept = inStorage('localStorage', (storage) => storage.getItem(storageKey))
  const [key, address] = (kept ?? '').split(' ')
  return isKey(key) && address ? { key, address } : null
}

const isKey = (text: string | undefined): text is PrivateKey => /^0x[0-9a-f]{64}$/.test(text ?? '')

const never = () => () => {}
