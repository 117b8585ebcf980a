import type { AddressQuery } from '#components/ui/browser/use-address.ts'
import { addressOf, shortText } from '../address-of.ts'

/** The address of the list has its filter and its page. `look` is set for companies that failed lately. */
export type CompaniesSearch = ReturnType<typeof readCompaniesSearch>

export const readCompaniesSearch = (query: AddressQuery) => ({
  look: query.get('look') === '1' ? '1' : null,
  state: shortText(query, 'state'),
  cursor: query.get('cursor'),
})

export const companiesAddress = (search: CompaniesSearch): string => addressOf('/companies', search)
