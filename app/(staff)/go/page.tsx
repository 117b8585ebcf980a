import type { Metadata } from 'next'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requirePage } from '#lib/auth/require-page.ts'
import { GoToHash } from './go-to-hash.tsx'

export const metadata: Metadata = { title: 'Find' }

/** A link in a ticket, `/go#anything`: what stands behind # stays in the browser and out of every log. */
export default async function GoPage() {
  await requirePage('see-everything', '/go')
  return (
    <>
      <PageHeader title="Find">
        Put an id, an IBAN or an e-mail behind <span className="mono">/go#</span> to link to what it names.
      </PageHeader>
      <GoToHash />
    </>
  )
}
