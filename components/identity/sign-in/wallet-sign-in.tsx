'use client'

import type { Connector } from 'wagmi'
import { useWords } from '#components/ui/browser/words.tsx'
import type { SignInActions } from './sign-in-actions.ts'
import { SignMessagePanel } from './sign-message-panel.tsx'
import { useThrowAway } from './use-throw-away.ts'
import { useWalletConnect, WalletConnectPanel } from './wallet-connect-panel.tsx'
import { WalletList } from './wallet-list.tsx'
import { useWalletSigner } from './wallets.tsx'

/** A person chooses a wallet, sees what it will sign, and signs. */
export function WalletSignIn({
  wallets,
  expected,
  actions,
  merchant,
  walletConnectProjectId,
  serviceHost,
  onSignedIn,
  onUseCode,
}: {
  /** `wallets` is null while they are unknown. */
  readonly wallets: readonly Connector[] | null
  /** `expected`: this browser had a wallet last time. */
  readonly expected: boolean
  readonly actions: SignInActions
  readonly merchant: string
  /** The id is null when WalletConnect is not set up. */
  readonly walletConnectProjectId: string | null
  readonly serviceHost: string
  readonly onSignedIn: () => void
  readonly onUseCode: () => void
}) {
  const { signer, connect, connecting, cancel, failure, disconnect, moved } = useWalletSigner()
  const throwAway = useThrowAway(actions)
  const words = useWords()
  const walletConnect = useWalletConnect(walletConnectProjectId, merchant)
  const chosen = throwAway.signer ?? walletConnect.signer ?? signer
  const leave = throwAway.signer ? throwAway.leave : walletConnect.signer ? walletConnect.leave : disconnect
  const signedIn = () => {
    walletConnect.end()
    onSignedIn()
  }
  return (
    <section aria-labelledby="wallet-title" className="flex min-w-0 flex-col px-gutter py-5 sm:p-7">
      <h2 id="wallet-title" className="font-heading text-base">
        {words('signIn.wallet')}
      </h2>
      <p className="mt-1 mb-4 text-muted text-table">{words('signIn.walletLead')}</p>
      {chosen ? (
        <SignMessagePanel
          key={`${chosen.address} ${chosen.chainId}`}
          signer={chosen}
          moved={moved}
          serviceHost={serviceHost}
          issueChallenge={actions.issueChallenge}
          onChange={leave}
          onSignedIn={signedIn}
          onUseCode={onUseCode}
        />
      ) : walletConnect.state === 'loading' || walletConnect.state === 'waiting' ? (
        <WalletConnectPanel wallet={walletConnect} />
      ) : (
        <WalletList
          wallets={wallets}
          expected={expected}
          connecting={connecting}
          failure={failure ?? walletConnect.failure}
          onConnect={connect}
          onCancel={cancel}
          throwAway={throwAway}
          walletConnect={walletConnect}
          onUseCode={onUseCode}
        />
      )}
    </section>
  )
}
