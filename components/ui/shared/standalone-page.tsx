import type { ReactNode } from 'react'
import type { Language } from '#lib/platform/rules/language.ts'
import { Card } from '../card.tsx'
import { Logo } from '../logo.tsx'

/**
 * The page has few words and is outside the staff shell. It says what happened, and what to do. It is in English unless
 * `language` says otherwise.
 */
export function StandalonePage({
  title,
  language = 'en',
  children,
  actions,
}: {
  readonly title: string
  readonly language?: Language
  readonly children: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <StandaloneShell>
      <Card lang={language} className="p-5 text-center sm:p-7">
        <h1 className="font-heading text-lg">{title}</h1>
        <div className="mt-2 text-muted text-table">{children}</div>
        {actions && <div className="mt-6 flex flex-wrap justify-center gap-2">{actions}</div>}
      </Card>
    </StandaloneShell>
  )
}

/** One card is in the middle, below the mark. */
export function StandaloneShell({ children }: { readonly children: ReactNode }) {
  return (
    <main className="grid min-h-dvh grid-cols-[minmax(0,1fr)] place-items-center px-gutter py-10">
      <div className="w-full max-w-md">
        <div className="mb-4 flex items-center justify-center gap-2.5 font-brand text-brand">
          <Logo />
          Rampart
        </div>
        {children}
      </div>
    </main>
  )
}
