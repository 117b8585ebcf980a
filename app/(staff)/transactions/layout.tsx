import type { ReactNode } from 'react'
import { may } from '#lib/access/rules/roles.ts'
import { findSession } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { listFilterChoices } from '#lib/transactions/filters.ts'
import { allowLinesExportAction, allowTransactionsExportAction } from './actions.ts'
import { SplitView } from './split-view.tsx'

/** The list is beside a transaction when the window is wide enough. Each page asks who is calling. */
export default async function TransactionsLayout({ children }: { readonly children: ReactNode }) {
  const caller = await findSession()
  if (!caller || !may(caller.role, 'see-everything')) return children
  const list = {
    choices: await listFilterChoices(caller),
    sandboxUrl: env().sandboxUrl?.href ?? null,
    exports: may(caller.role, 'work-on-cases')
      ? { lines: allowLinesExportAction, transactions: allowTransactionsExportAction }
      : null,
  }
  return <SplitView list={list}>{children}</SplitView>
}
