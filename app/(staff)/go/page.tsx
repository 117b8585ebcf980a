import type { Metadata } from 'next'
import { ButtonLink } from '#components/ui/link.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/identity/sessions/read-request.ts'
import { env } from '#lib/platform/env.ts'
import { GoToHash } from './go-to-hash.tsx'

export const metadata: Metadata = { title: 'Find' }

/** A ticket may have the link `/go#anything`. The text behind # stays in the browser and out of every log. */
export default async function GoPage() {
  await requirePage('see-everything', '/go')
  const here = new URL('/go', env().publicUrl).href
  return (
    <GoToHash>
      <PageHeader title="Find">
        A link that opens what it names, for tickets and other tools. The part after # is not sent to a server
        or logged.
      </PageHeader>
      <div className="mt-5 grid max-w-[40rem] gap-4 text-table">
        <p>
          Put an ID, an IBAN or an e-mail after <span className="mono">/go#</span>. This example opens
          everything about one customer:
        </p>
        <p className="mono break-all rounded-lg border bg-code px-3.5 py-2.5 text-sm">
          {here}#ana@example.com
        </p>
        <p>
          <ButtonLink href="/transactions">Search transactions</ButtonLink>
        </p>
      </div>
    </GoToHash>
  )
}
