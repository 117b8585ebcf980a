import { Marked } from '#components/ui/search/marked.tsx'
import type { Why, WhyField } from '#lib/search/found.ts'

/** A result shows the name of the field that matches, its value, and the matching part. */
export const WhyFound = ({ why }: { readonly why: Why }) => (
  <span className="text-muted text-xs">
    {labels[why.field]}{' '}
    <span className={isWords.has(why.field) ? undefined : 'mono'}>
      <Marked text={why.text} marks={why.marks} />
    </span>
  </span>
)

const isWords: ReadonlySet<WhyField> = new Set(['email', 'name', 'fiat', 'crypto', 'refunded'])

const labels = {
  id: 'ID',
  hash: 'Hash',
  wallet: 'Wallet',
  'sending-wallet': 'Sent from',
  account: 'Bank account',
  'sender-account-number': 'Sender’s account',
  'beneficiary-account-number': 'Beneficiary’s account',
  'account-number': 'Account number',
  person: 'Person',
  email: 'E-mail',
  name: 'Name',
  'customer-number': 'Customer number',
  fiat: 'Amount',
  crypto: 'Amount',
  refunded: 'Refunded',
  other: 'Carries',
} as const satisfies Record<WhyField, string>
