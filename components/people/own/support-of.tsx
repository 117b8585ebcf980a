import type { ReactNode } from 'react'
import { SupportContact } from '#components/ui/shared/merchant.tsx'

/** Sentences that name the merchant's support get its name and its contact from here. */
export const supportOf = (merchant: string, contact: string | null) => ({
  merchant,
  support: (words: ReactNode) => (
    <SupportContact key="support" contact={contact}>
      {words}
    </SupportContact>
  ),
})
