import { Callout } from '#components/ui/callout.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Alert } from '#components/ui/shared/alert-slot.tsx'
import type { AlertChannelView } from '#lib/operations/alerts/alert-channels.ts'

/** The alert says that no channel brings alerts to anybody. A dead man's switch brings none. */
export function nobodyNotifiedAlerts(
  channels: readonly AlertChannelView[],
  /** The link leads to the channels, for a page without them. */
  link: 'with-link' | 'without-link',
): Alert[] {
  if (channels.some(({ notifies }) => notifies)) return []
  const email = channels.find(({ kind }) => kind === 'email')
  const shown = (
    <Callout
      kind="warning"
      title="Nobody is notified of alerts."
      actions={
        link === 'with-link' && (
          <Link href="/settings/alerts" className="underline">
            Add a channel
          </Link>
        )
      }
    >
      {email?.fault} No other channel reaches anybody. Alerts appear on the page Alerts only.
    </Callout>
  )
  return [{ key: 'nobody-notified', kind: 'warning', shown }]
}
