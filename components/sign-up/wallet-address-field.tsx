'use client'

import { useState } from 'react'
import { useConnect } from 'wagmi'
import { useWallets, walletName } from '../sign-in/use-wallets.ts'
import { readWalletFailure, walletFailureMessages } from '../sign-in/wallet-failure.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'

/** The wallet address, typed or taken from a wallet of this browser. The server checks its checksum. */
export function WalletAddressField({ error }: { readonly error: string | undefined }) {
  const wallets = useWallets() ?? []
  const { connectAsync } = useConnect()
  const [address, setAddress] = useState('')
  const [asking, setAsking] = useState<string | null>(null)
  const [said, setSaid] = useState<string | null>(null)

  const take = async (wallet: (typeof wallets)[number]) => {
    const asked = Date.now()
    setAsking(wallet.uid)
    setSaid(null)
    try {
      const { accounts } = await connectAsync({ connector: wallet })
      if (accounts[0]) setAddress(accounts[0])
      setSaid(accounts[0] ? `Taken from ${walletName(wallet)}.` : walletFailureMessages['no-account'].title)
    } catch (failure) {
      const words = walletFailureMessages[readWalletFailure(failure, Date.now() - asked)]
      setSaid(words.title)
    } finally {
      setAsking(null)
    }
  }
  return (
    <div>
      <TextField
        label="Wallet address"
        aside="Optional"
        name="targetAddress"
        placeholder="0x…"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        mono
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        hint="With it you can sign in by wallet as well as by code. No other wallet will do."
        error={error}
      />
      {wallets.length > 0 && (
        <div className="mt-2 flex flex-wrap items-center gap-2">
          {wallets.map((wallet) => (
            <Button
              key={wallet.uid}
              size="sm"
              pending={asking === wallet.uid}
              disabled={asking !== null}
              onClick={() => take(wallet)}
            >
              Take it from {walletName(wallet)}
            </Button>
          ))}
          <span role="status" className="text-muted text-sm">
            {said}
          </span>
        </div>
      )}
    </div>
  )
}
