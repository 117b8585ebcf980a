import { Marked } from '#components/ui/search/marked.tsx'
import type { FoundPerson } from '#lib/search/found.ts'

/** What somebody was found by, with the part that matches. */
export const FoundBy = ({ why }: Pick<FoundPerson, 'why'>) => (
  <>
    {why.field === 'customer-number' && 'customer '}
    <Marked text={why.text} marks={why.marks} />
  </>
)

/** What else names them, as far as the role may know it. */
export const otherNames = ({ why, name, email, customerNumber }: FoundPerson): string[] =>
  [
    why.field === 'name' ? null : name,
    why.field === 'email' ? null : email,
    why.field === 'customer-number' || customerNumber === null ? null : `customer ${customerNumber}`,
  ].filter((text) => text !== null)
