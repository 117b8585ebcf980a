import { redirect } from 'next/navigation'
import { requirePage } from '#lib/auth/require-page.ts'
import { may } from '#lib/domain/access/roles.ts'

/** Everybody's first page: staff work on transactions, end users look at their own account. */
export default async function Home() {
  const caller = await requirePage()
  redirect(may(caller.role, 'see-everything') ? '/transactions' : '/account')
}
