'use client'

import { clsx } from 'clsx'
import { LoaderCircle, QrCode, Wallet } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Connector } from 'wagmi'
import { useWords } from '#components/ui/browser/words.tsx'
import { Button } from '#components/ui/button.tsx'
import { Skeleton } from '#components/ui/empty-state.tsx'
import { shortId } from '#lib/words/labels/formats.ts'
import type { ThrowAway } from './use-throw-away.ts'
import { OpenInWalletApp } from './wallet-app-links.tsx'
import type { WalletConnect } from './wallet-connect-panel.tsx'
import { needsCode, useWalletFailureWords, WalletProblem } from './wallet-failure.tsx'
import { walletName } from './wallets.tsx'

/** The list has the wallets of this browser, by name and icon, and the sandbox's own. */
export function WalletList({
  wallets,
  expected,
  connecting,
  failure,
  onConnect,
  onCancel,
  throwAway,
  walletConnect,
  onUseCode,
}: {
  readonly wallets: readonly Connector[] | null
  /** `expected` keeps room for a wallet, or for the message that there is none, while that is unknown. */
  readonly expected: boolean
  /** `connecting` is the `uid` of the wallet that is being asked. */
  readonly connecting: string | null
  readonly failure: WalletConnect['failure']
  readonly onConnect: (wallet: Connector) => void
  /** `onCancel` stops waiting for that wallet. */
  readonly onCancel: () => void
  readonly throwAway: ThrowAway & { readonly offered: boolean }
  readonly walletConnect: WalletConnect
  readonly onUseCode: () => void
}) {
  const words = useWords()
  const failureWords = useWalletFailureWords()
  // A wallet may never answer, so any other choice stops waiting for it.
  const instead = (choose: () => void) => () => {
    onCancel()
    choose()
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {wallets === null && expected && <Skeleton className="h-11.5 rounded-row" />}
      {wallets?.map((wallet) => (
        <Row
          key={wallet.uid}
          icon={<Icon icon={wallet.icon} name={walletName(words, wallet)} />}
          name={walletName(words, wallet)}
          remark={words(connecting === wallet.uid ? 'signIn.openYourWallet' : 'signIn.detected')}
          pending={connecting === wallet.uid}
          disabled={throwAway.opening}
          onClick={() => onConnect(wallet)}
        />
      ))}
      {throwAway.offered && (
        <Row
          dashed
          icon={
            <span
              data-tone="wait"
              className="grid size-6.5 place-items-center rounded-control bg-tone text-surface"
            >
              <Wallet className="size-4" aria-hidden />
            </span>
          }
          name={words('signIn.throwAway')}
          remark={words(throwAway.opening ? 'signIn.openingAccount' : 'signIn.sandboxOnly')}
          pending={throwAway.opening}
          onClick={instead(throwAway.open)}
        />
      )}
      {throwAway.known && (
        <p className="text-muted text-xs">
          {words.rich('signIn.throwAwayKnown', {
            id: shortId(throwAway.known),
            mark: (id) => (
              <span key="id" className="mono">
                {id}
              </span>
            ),
            make: (label) => (
              <button
                key="make"
                type="button"
                disabled={throwAway.opening}
                onClick={instead(throwAway.openNew)}
                className="underline hover:text-text"
              >
                {label}
              </button>
            ),
          })}
        </p>
      )}
      {walletConnect.offered && (
        <Row
          icon={
            <span className="grid size-6.5 place-items-center rounded-control bg-ink text-on-ink">
              <QrCode className="size-4" aria-hidden />
            </span>
          }
          name="WalletConnect"
          remark={words('signIn.elsewhere')}
          pending={false}
          disabled={throwAway.opening}
          onClick={instead(walletConnect.open)}
        />
      )}
      {(wallets === null ? !expected : wallets.length === 0) && (
        <OpenInWalletApp
          advice={walletConnect.offered ? 'signIn.noWalletButWalletConnect' : 'signIn.noWallet'}
        />
      )}
      {connecting !== null && (
        <Button variant="ghost" className="justify-self-end" onClick={onCancel}>
          {words('form.cancel')}
        </Button>
      )}
      {failure && (
        <WalletProblem
          message={failureWords(failure)}
          neutral={failure === 'declined' || failure === 'busy'}
          onUseCode={needsCode.has(failure) ? onUseCode : null}
        />
      )}
      {throwAway.refusal && <WalletProblem message={throwAway.refusal} />}
    </div>
  )
}

function Row({
  icon,
  name,
  remark,
  dashed = false,
  pending,
  disabled = false,
  onClick,
}: {
  readonly icon: ReactNode
  readonly name: string
  readonly remark: string
  readonly dashed?: boolean
  readonly pending: boolean
  readonly disabled?: boolean
  readonly onClick: () => void
}) {
  return (
    <button
      type="button"
      disabled={disabled}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? undefined : onClick}
      className={clsx(
        'flex min-h-11.5 w-full flex-wrap items-center gap-x-3 gap-y-0.5 rounded-row border border-line-strong bg-surface px-3 py-1 text-left transition-colors enabled:hover:bg-hover',
        dashed && 'border-dashed',
        !pending && 'disabled:opacity-60',
      )}
    >
      {icon}
      <span className="min-w-0 flex-1 basis-24 break-words font-strong text-table">{name}</span>
      <span className="flex items-center gap-1.5 text-faint text-xs">
        {pending && <LoaderCircle className="size-3.5 animate-spin" aria-hidden />}
        {remark}
      </span>
    </button>
  )
}

/**
 * An icon is shown only when the wallet itself carries it: loading one from an address would reveal that this page
 * was opened.
 */
function Icon({ icon: given, name }: { readonly icon: string | undefined; readonly name: string }) {
  const icon = given?.trim()
  if (icon?.startsWith('data:image/')) {
    // biome-ignore lint/performance/noImgElement: a data address has nothing to optimise
    return <img src={icon} alt="" className="size-6.5 rounded-control" />
  }
  return (
    <span
      className="grid size-6.5 place-items-center rounded-control bg-ink font-title text-on-ink text-xs"
      aria-hidden
    >
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}
