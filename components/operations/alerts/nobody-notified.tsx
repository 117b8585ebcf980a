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
  if (channels.some(({ kind, enabled }) => enabled && kind !== 'heartbeat')) return []
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
      No mail server is set (SMTP_URL), and there is no other channel. Alerts appear on the page Alerts only.
    </Callout>
  )
  return [{ key: 'nobody-notified', kind: 'warning', shown }]
}
