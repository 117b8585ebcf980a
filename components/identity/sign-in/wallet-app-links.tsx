'use client'

import { ExternalLink } from 'lucide-react'
import { useWords } from '#components/ui/browser/words.tsx'

export interface WalletAppLink {
  readonly name: string
  /** Not known before the page is awake. */
  readonly href: string | undefined
  readonly onOpen?: () => void
}

/** Links to wallets' apps, one below the other, large enough for a thumb. */
export function WalletAppLinks({ links }: { readonly links: readonly WalletAppLink[] }) {
  const words = useWords()
  return (
    <ul className="grid w-full gap-2">
      {links.map(({ name, href, onOpen }) => (
        <li key={name}>
          <a
            href={href}
            // This page stays, also where the app is not installed.
            target="_blank"
            rel="noreferrer"
            onClick={onOpen}
            className="flex min-h-11.5 items-center justify-between gap-3 rounded-row border border-line-strong px-3 font-strong text-table hover:bg-hover"
          >
            {words('signIn.openIn', { app: name })}
            <ExternalLink className="size-4 text-faint" aria-hidden />
          </a>
        </li>
      ))}
    </ul>
  )
}
