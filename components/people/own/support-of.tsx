import type { ReactNode } from 'react'
import { SupportContact } from '#components/ui/shared/merchant.tsx'

/** For sentences that name the merchant's support: who that is, and how to reach it. */
export const supportOf = (merchant: string, contact: string | null) => ({
  merchant,
  support: (words: ReactNode) => (
    <SupportContact key="support" contact={contact}>
      {words}
    </SupportContact>
  ),
})
