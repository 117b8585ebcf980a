import { redirect } from 'next/navigation'
import { decodePathPart } from '#components/decode-path-part.ts'
import { requirePage } from '#lib/auth/require-page.ts'
import { findTransactions } from '#lib/transactions/find-transactions.ts'

/** A link in a ticket: opens the one transaction that its text names, or else the search for it. */
export async function GET(request: Request, { params }: { params: Promise<{ anything: string[] }> }) {
  const text = (await params).anything.map(decodePathPart).join('/')
  const caller = await requirePage('see-everything', new URL(request.url).pathname)
  const { exact } = await findTransactions(caller, text)
  redirect(
    exact ? `/transactions/${encodeURIComponent(exact)}` : `/transactions?q=${encodeURIComponent(text)}`,
  )
}
