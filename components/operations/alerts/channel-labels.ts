import type { AlertChannelView } from '#lib/operations/alerts/alert-channels.ts'

type Kind = AlertChannelView['kind']

/** Each kind of channel has a name, and a sentence about what its address is. */
export const channelKindLabels = {
  email: { label: 'E-mail', about: 'Members choose what they receive.' },
  slack: { label: 'Slack', about: 'The address of an incoming webhook of Slack.' },
  teams: { label: 'Teams', about: 'The address of a workflow “Send webhook alerts to a channel”.' },
  webhook: { label: 'Signed webhook', about: 'A program of yours gets JSON, signed by Standard Webhooks.' },
  heartbeat: {
    label: 'Dead man’s switch',
    about: 'Called by GET each minute while everything works. Your monitoring alerts you when no call comes.',
  },
} as const satisfies Record<Kind, { readonly label: string; readonly about: string }>
