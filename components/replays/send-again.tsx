import Link from 'next/link'

/** Leads an admin from an event to sending again the deliveries that told of it. */
export const SendAgain = ({ eventId }: { readonly eventId: string }) => (
  <Link
    href={`/replays/new?event=${eventId}`}
    className="mt-2 inline-block text-sm underline underline-offset-2"
  >
    Send again…
  </Link>
)
