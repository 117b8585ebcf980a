import { Link } from '#components/ui/link.tsx'

/** The link leads admins from an event to a replay of its deliveries. */
export const SendAgain = ({ eventId }: { readonly eventId: string }) => (
  <Link
    href={`/replays/new?event=${eventId}`}
    className="mt-2 inline-block text-sm underline underline-offset-2"
  >
    Replay this webhook…
  </Link>
)
