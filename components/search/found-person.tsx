import { Marked } from '#components/ui/search/marked.tsx'
import type { FoundPerson } from '#lib/search/found.ts'

/** The person was found by this field, with the part that matches. */
export const FoundBy = ({ why }: Pick<FoundPerson, 'why'>) => (
  <>
    {why.field === 'customer-number' && 'customer '}
    <Marked text={why.text} marks={why.marks} />
  </>
)

/** These are the other names of the person, as far as the role may know them. */
export const otherNames = ({ why, name, email, customerNumber }: FoundPerson): string[] =>
  [
    why.field === 'name' ? null : name,
    why.field === 'email' ? null : email,
    why.field === 'customer-number' || customerNumber === null ? null : `customer ${customerNumber}`,
  ].filter((text) => text !== null)
