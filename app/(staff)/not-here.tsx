import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { findSession } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { readAbsence } from '#lib/search/read-subjects.ts'
import { NothingFound } from './nothing-found.tsx'

/** The thing of this page never arrived here. The text says why that may be, by what this installation knows. */
export async function NotHere({ title, action }: { readonly title: string; readonly action: ReactNode }) {
  const caller = await findSession()
  return (
    <Card>
      <NothingFound
        heading="h1"
        title={title}
        sandboxUrl={env().sandboxUrl?.href ?? null}
        absence={caller && (await readAbsence(caller))}
        action={action}
      />
    </Card>
  )
}
