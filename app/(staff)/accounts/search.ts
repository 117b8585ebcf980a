import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import { accountTypes } from '#lib/deliveries/rules/event-types.ts'
import { addressOf, shortText } from '../address-of.ts'

/** The address of the list has its filters and its page. `look` is set for accounts that failed lately. */
export type AccountsSearch = ReturnType<typeof readAccountsSearch>

export const readAccountsSearch = (query: AddressQuery) => ({
  look: query.get('look') === '1' ? '1' : null,
  type: accountTypes.find((each) => each === query.get('type')) ?? null,
  state: shortText(query, 'state'),
  currency: shortText(query, 'currency'),
  cursor: query.get('cursor'),
})

export const accountsAddress = (search: AccountsSearch): string => addressOf('/accounts', search)
