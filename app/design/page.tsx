import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { AppearanceChoices } from '#components/operations/shell/appearance-choices.tsx'
import { parseTheme, themeCookie } from '#components/ui/browser/theme.ts'
import { readChoice } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { Pieces } from './pieces.tsx'

export const metadata: Metadata = { title: 'Design' }

/** The page exists only in development. It shows every piece of the pages, in each of its states. */
export default async function DesignPage() {
  if (!env().dev) notFound()
  return (
    <main id="main" className="mx-auto max-w-[105rem] px-4 py-8 sm:px-7">
      <h1 className="font-heading text-xl">Pieces</h1>
      <p className="mt-1 text-muted text-table">
        What pages are made of, from <span className="mono">components/ui</span>, the catalogue of words and
        the pages of staff.
      </p>
      <div className="mt-4 max-w-64">
        <AppearanceChoices theme={parseTheme(await readChoice(themeCookie))} />
      </div>
      <Pieces />
    </main>
  )
}
