import type { Information } from './visibility.ts'

/** Actions on what is the merchant’s own, and exports of many: their reasons speak of no single customer. */
const ofTheMerchant = [
  'access.',
  'accounts.export',
  'audit.',
  'companies.export',
  'delivery.',
  'endpoint.',
  'gap.',
  'invitation.',
  'link.',
  'member.',
  'passkey.',
  'rebuild.',
  'replay.',
  'search.export',
  'service.',
  'settings.',
  'transactions.export',
]

/** Which sort of information it is why something was done: of any other action, a text about a customer. */
export const reasonSort = (action: string): Information =>
  ofTheMerchant.some((beginning) => action.startsWith(beginning)) ? 'staff' : 'free-text'
