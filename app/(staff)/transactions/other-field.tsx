import { WhyFound } from '#components/search/why-found.tsx'
import type { Why } from '#lib/search/found.ts'

/** Under the id: the field by which it was found, where that is another one. */
export const OtherField = ({ why }: { readonly why: Why | undefined }) =>
  why && why.field !== 'id' ? (
    <span className="block max-w-60 truncate pb-1">
      <WhyFound why={why} />
    </span>
  ) : null
