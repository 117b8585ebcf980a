'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { keepCookie } from '#components/ui/browser/keep-cookie.ts'
import { CodeSignIn } from './code-sign-in.tsx'
import { DemoPeople } from './demo-people.tsx'
import { useCodeRequest } from './email-code.ts'
import { openAfterSignIn } from './go-on.tsx'
import type { SignInActions } from './sign-in-actions.ts'
import { useIsPhone } from './wallet-app-links.tsx'
import { WalletSignIn } from './wallet-sign-in.tsx'
import { useWallets, WalletProvider } from './wallets.tsx'
import { type WalletsSeen, walletsCookie } from './wallets-cookie.ts'

export interface SignInProps {
  readonly actions: SignInActions
  readonly merchant: string
  /** The id is null when WalletConnect is not set up. */
  readonly walletConnectProjectId: string | null
  /** Every wallet will show this host. */
  readonly serviceHost: string
  /** The url is null when there is no sandbox. */
  readonly sandboxUrl: string | null
  /** `next` opens afterwards. Anything but a path of this site means the person's own first page. */
  readonly next: string | null
  /** `address` is that of the person who was signed in here before; empty when it is unknown. */
  readonly address?: string
  /**
   * `walletsSeen` says whether this browser had a wallet last time, so that the first paint shows the right side
   * first.
   */
  readonly walletsSeen: WalletsSeen
  /** `below` follows both sides, such as the ways for staff. */
  readonly below?: ReactNode
  /** `children` follow the e-mail side, such as the link to sign up. */
  readonly children?: ReactNode
}

/** Both ways to sign in are side by side, and each works without the other. */
export function SignInCard(props: SignInProps) {
  return (
    <WalletProvider>
      <SignInMethods {...props} />
    </WalletProvider>
  )
}

function SignInMethods({
  actions,
  merchant,
  walletConnectProjectId,
  serviceHost,
  sandboxUrl,
  next,
  address = '',
  walletsSeen,
  below,
  children,
}: SignInProps) {
  const code = useCodeRequest(actions.requestCode)
  const wallets = useWallets()
  const isPhone = useIsPhone()
  const found = wallets !== null && wallets.length > 0
  // The sides stay in place when they are side by side. When one is below the other, the wallet of this browser
  // comes first.
  const walletFirst = isPhone && wallets !== null ? found : walletsSeen === 'some'
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (wallets !== null) keepCookie(walletsCookie, wallets.length > 0 ? 'some' : 'none')
  }, [wallets])
  const onSignedIn = () => openAfterSignIn(next)
  const toCode = () =>
    card.current?.querySelector<HTMLInputElement>('input[name=email], input[name=code]')?.focus()
  const sides = [
    <WalletSignIn
      key="wallet"
      wallets={wallets}
      expected={walletsSeen === 'some'}
      actions={actions}
      merchant={merchant}
      walletConnectProjectId={walletConnectProjectId}
      serviceHost={serviceHost}
      onSignedIn={onSignedIn}
      onUseCode={toCode}
    />,
    <CodeSignIn
      key="code"
      code={code}
      address={address}
      codeDeliveryStatus={actions.codeDeliveryStatus}
      merchant={merchant}
      serviceHost={serviceHost}
      sandboxUrl={sandboxUrl}
      onSignedIn={onSignedIn}
    >
      {children}
    </CodeSignIn>,
  ]
  return (
    <>
      <div
        ref={card}
        className="grid grid-cols-[minmax(0,1fr)] overflow-hidden rounded-2xl border bg-surface shadow-[0_10px_40px_rgb(0_0_0/0.06)] md:grid-cols-2 [&>section+section]:border-t md:[&>section+section]:border-t-0 md:[&>section+section]:border-l"
      >
        {walletFirst ? sides : sides.toReversed()}
      </div>
      {below}
      {sandboxUrl && <DemoPeople code={code} sandboxUrl={sandboxUrl} />}
    </>
  )
}
