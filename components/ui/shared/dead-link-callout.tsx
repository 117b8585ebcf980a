import { Callout } from '../callout.tsx'

/** The link of an address opens no search, for this reason. */
export const DeadLinkCallout = ({ why }: { readonly why: WhyDead }) => (
  <Callout kind="warning" title={words[why].title} className="mt-4">
    {words[why].next}
  </Callout>
)

export type WhyDead = keyof typeof words

const words = {
  unknown: {
    title: 'This search link is not known here.',
    next: 'Its key may have been removed. Search again.',
  },
  erased: {
    title: 'What this link looked for was erased.',
    next: 'It named a person whose data was erased here. Find what is kept of them by transaction ID.',
  },
  'too-many': {
    title: 'You have searched too often within a few minutes.',
    next: 'Open the link again in five minutes.',
  },
} as const
