'use client'

import { ChevronDown, Eye } from 'lucide-react'
import type { Connector } from 'wagmi'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import type { IssuedChallenge } from '#lib/identity/sign-in/sign-in-with-wallet.ts'
import type { Action } from '#lib/platform/forms/action-state.ts'
import { clockDifference } from '#lib/words/labels/duration.ts'
import { shortId } from '#lib/words/labels/formats.ts'
import type { SignInActions } from './sign-in-result.ts'
import { type Signer, SignSteps, useSignature } from './signing.tsx'
import { useThrowAway } from './use-throw-away.ts'
import { useWalletConnect, WalletConnectPanel } from './wallet-connect-panel.tsx'
import { WalletProblem } from './wallet-failure.tsx'
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

/** The panel shows the signer, the wallet's warning and the message, and then the next steps. */
function SignMessagePanel({
  signer,
  moved,
  serviceHost,
  issueChallenge,
  onChange,
  onSignedIn,
  onUseCode,
}: {
  readonly signer: Signer
  /** `moved`: the account or the chain was changed in the wallet after it had been connected. */
  readonly moved: boolean
  readonly serviceHost: string
  readonly issueChallenge: Action<IssuedChallenge>
  readonly onChange: () => void
  readonly onSignedIn: () => void
  readonly onUseCode: () => void
}) {
  const { issued, pending, step, stopped, problem, proceed } = useSignature(
    signer,
    issueChallenge,
    onSignedIn,
  )
  const words = useWords()
  const clocks = clockDifference(issued?.clockOffsetSeconds ?? 0, words.language)
  const next = issued ? (stopped ? 'signIn.signAgain' : 'signIn.signMessage') : 'signIn.tryAgain'
  return (
    <div className="grid gap-3.5">
      <Account signer={signer} onChange={step === 'checking' || step === 'signed-in' ? null : onChange} />
      {moved && <Callout>{words('signIn.moved')}</Callout>}
      {signer.kind === 'wallet' && <HostWarning host={issued?.host ?? serviceHost} />}
      {clocks && (
        <Callout kind="warning">
          {words(clocks.ahead ? 'signIn.clockAhead' : 'signIn.clockBehind', { by: clocks.by })}
        </Callout>
      )}
      <MessageText message={issued?.message ?? null} />
      {problem && (
        <WalletProblem
          message={problem}
          neutral={problem.neutral}
          onUseCode={problem.offerCode ? onUseCode : null}
        />
      )}
      {step === 'ready' ? (
        <Button variant="primary" size="lg" className="w-full" pending={pending} onClick={proceed}>
          {words(pending ? 'signIn.makingMessage' : next)}
        </Button>
      ) : (
        <SignSteps step={step} signer={signer} />
      )}
    </div>
  )
}

/** The panel shows the account that signs, and the way to another one while that is possible. */
function Account({ signer, onChange }: { readonly signer: Signer; readonly onChange: (() => void) | null }) {
  const words = useWords()
  return (
    <div className="flex min-h-11.5 items-center gap-3 rounded-row border bg-bg px-3 py-2">
      <p className="min-w-0 flex-1 text-table">
        <span className="text-muted">{words('signIn.signingAs')} </span>
        <span className="mono font-strong" title={signer.address}>
          {shortId(signer.address)}
        </span>
        <span className="wrap-anywhere block text-faint text-xs">{signer.name}</span>
      </p>
      <Button size="sm" variant="ghost" disabled={onChange === null} onClick={onChange ?? undefined}>
        {words('signIn.change')}
      </Button>
    </div>
  )
}

/** The message names the service's host and not this page's, so a wallet warns of it. */
function HostWarning({ host }: { readonly host: string }) {
  const words = useWords()
  return (
    <div
      data-tone="held"
      role="note"
      className="flex gap-2.5 rounded-panel bg-tone-bg px-3.5 py-2.5 text-sm text-tone"
    >
      <Eye className="mt-[0.1875rem] size-4" aria-hidden />
      <p>
        {words.rich('signIn.willWarn', {
          host,
          mark: (name) => (
            <strong key="host" className="wrap-anywhere font-brand">
              {name}
            </strong>
          ),
        })}
      </p>
    </div>
  )
}

function MessageText({ message }: { readonly message: string | null }) {
  const words = useWords()
  return (
    <details className="group text-sm">
      <summary className="touch-target relative inline-flex items-center gap-1 rounded-sm text-muted hover:text-text">
        {words('signIn.seeMessage')}
        <ChevronDown className="size-3.5 transition-transform group-open:rotate-180" aria-hidden />
      </summary>
      <div className="mt-2 rounded-panel border bg-code p-3">
        {message === null ? (
          <Skeleton className="h-40" />
        ) : (
          <pre className="mono wrap-anywhere whitespace-pre-wrap text-xs leading-relaxed">{message}</pre>
        )}
      </div>
      <p className="mt-1.5 text-muted text-xs">{words('signIn.messageNote')}</p>
    </details>
  )
}
