'use client'

import { ExternalLink } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Avatar } from '#components/ui/avatar.tsx'
import { keepCookie } from '#components/ui/browser/keep-cookie.ts'
import { useWords } from '#components/ui/browser/words.tsx'
import { Tag } from '#components/ui/pill.tsx'
import { CodeSignIn } from './code-sign-in.tsx'
import { type CodeRequest, useCodeRequest } from './email-code.ts'
import { openAfterSignIn } from './go-on.tsx'
import type { SignInActions } from './sign-in-result.ts'
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

/** The sandbox has its own people: one click sends a code to any of them. */
export function DemoPeople({
  code,
  sandboxUrl,
}: {
  readonly code: CodeRequest
  readonly sandboxUrl: string
}) {
  const words = useWords()
  return (
    <aside
      aria-labelledby="demo-title"
      className="mt-5 rounded-2xl border border-line-strong border-dashed px-gutter py-4 sm:px-7 sm:py-5"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1.5">
        <h2 id="demo-title" className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
          <Tag>Sandbox</Tag>
          <span className="font-label">{words('signIn.demo')}</span>
        </h2>
        <a
          href={new URL('/mailbox', sandboxUrl).href}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 text-muted text-sm underline hover:text-text"
        >
          {words('signIn.allCodes')}
          <ExternalLink className="size-3.5" aria-hidden />
        </a>
      </div>
      <ul className="mt-3 grid gap-2 grid-cols-[repeat(auto-fill,minmax(min(100%,13rem),1fr))]">
        {people.map(({ email, name, may }) => (
          <li key={email}>
            <button
              type="button"
              disabled={code.pending}
              onClick={() => code.request(email)}
              className="flex h-full w-full flex-wrap items-center gap-x-2.5 gap-y-1 rounded-row border border-line-strong bg-surface px-2.5 py-2 text-left transition-colors hover:bg-hover disabled:opacity-60"
            >
              <Avatar name={name} />
              <span className="min-w-0 flex-1 basis-24">
                <span className="wrap-anywhere block font-label text-sm">{email}</span>
                <span className="block text-muted text-xs">{words(may)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}

const people = [
  { email: 'admin@demo.test', name: 'Admin', may: 'signIn.demoAdmin' },
  { email: 'support@demo.test', name: 'Support', may: 'signIn.demoSupport' },
  { email: 'ana@demo.test', name: 'Ana', may: 'signIn.demoUser' },
  { email: 'ben@demo.test', name: 'Ben', may: 'signIn.demoUser' },
  { email: 'cleo@demo.test', name: 'Cleo', may: 'signIn.demoUnverified' },
] as const
