import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { isolated } from '#lib/platform/rules/pasted-text.ts'

/** A notice names these facts beside its kind, such as `{ url: 'https://…' }`. */
export type NoticeFacts = Readonly<Record<string, string>>

/** A notice becomes one sentence. `by` names the actor; the kind of another version is shown as it is. */
export function noticeSentence(kind: string, by: string | null, facts: NoticeFacts): string {
  const known = parseNoticeKind(kind)
  const who = by === null ? 'Somebody' : isolated(by)
  if (!known) return `${who}: ${isolated(kind)}.`
  const endpoint = facts.endpoint ? `the endpoint “${shown(facts.endpoint)}”` : 'an endpoint'
  const sentence = sentences[known](who, (name) => shown(ownValue(facts, name) ?? 'unknown'), endpoint)
  return facts.outcome === 'unsure' ? `${sentence} It may have taken effect.` : sentence
}

/** The part of an address that may be a secret is cut off, unless it was already. */
const shown = (fact: string): string =>
  isolated(fact.replace(/\bhttps?:\/\/[^\s<>"“”]+/gi, (url) => (url.endsWith('…') ? url : maskUrl(url))))

/** `endpoint` is the name of the endpoint, or "an endpoint" when the notice has no name. */
type Sentence = (by: string, fact: (name: string) => string, endpoint: string) => string

const sentences = {
  'endpoint-created': (by, fact, endpoint) => `${by} created ${endpoint} that delivers to ${fact('url')}.`,
  'endpoint-changed': (by, fact, endpoint) => `${by} changed ${endpoint}. It delivers to: ${fact('to')}.`,
  'endpoint-activated': (by, _fact, endpoint) => `${by} activated ${endpoint}.`,
  'endpoint-disabled': (by, _fact, endpoint) => `${by} disabled ${endpoint}.`,
  'endpoint-switched-off': (_by, fact) =>
    `The provider switched off the endpoint “${fact('endpoint')}” because its deliveries failed. It gets no deliveries until an admin activates it.`,
  'endpoint-replaced': (by, fact, endpoint) =>
    `${by} replaced ${endpoint} by one that delivers to ${fact('url')}.`,
  'endpoint-deleted': (by, _fact, endpoint) => `${by} deleted ${endpoint}.`,
  'endpoint-taken-over': (by, _fact, endpoint) => `${by} pointed ${endpoint} to this dashboard.`,
  'secret-rotated': (by, _fact, endpoint) => `${by} rotated the secret of ${endpoint}.`,
  'replay-started': (by, fact) => `${by} re-sent ${fact('deliveries')} stored deliveries, ${fact('to')}.`,
  'replay-resumed': (by, fact) => `${by} resumed a replay, ${fact('to')}.`,
  'import-started': (by, fact) => `${by} started to import ${fact('people')} people from a file.`,
  'data-exported': (by, fact) => `${by} exported personal data: ${fact('what')}.`,
  'data-revealed': (by, fact) => `${by} revealed masked data of ${fact('person')}. The audit log lists what.`,
  'account-numbers-tried': (by) =>
    `${by} reached the daily limit of account numbers. Trying numbers in a row can reveal a masked one.`,
  'person-erased': (by) => `${by} erased a person.`,
  'member-invited': (by, fact) => `${by} invited ${fact('member')} to the team as ${fact('role')}.`,
  'member-joined': (by, fact) => `${by} made ${fact('member')} a member of the team as ${fact('role')}.`,
  'role-changed': (by, fact) =>
    `${by} changed the role of ${fact('member')} from ${fact('before')} to ${fact('after')}.`,
  'last-admin-kept': (_by, fact) =>
    `Single sign-on would demote ${fact('member')}, the last admin (to: ${fact('after')}). Nothing was changed, and nobody was signed in. Make somebody else an admin, or have the identity provider give the role back.`,
  'role-not-said': (_by, fact) =>
    `Single sign-on did not say which role ${fact('member')} has: the claim “${fact('claim')}” ${fact('how')}. Nobody was signed in, and nothing was changed. To take a role away, remove the member on the page Team. The page Settings shows what came (${fact('came')}).`,
  'issuer-moved': (_by, fact) =>
    `Somebody on the server moved ${fact('members')} single sign-on members from ${fact('from')} to ${fact('to')}.`,
  'identity-linked': (_by, fact) =>
    `${fact('member')} can now use single sign-on: the identity provider confirms their invited address.`,
  'member-removed': (by, fact) => `${by} removed ${fact('member')} (${fact('before')}) from the team.`,
  'sign-in-link': (_by, fact) =>
    `Somebody on the server made a sign-in link for ${fact('member')} (${fact('role')}).`,
  'passkey-copied': (_by, fact) =>
    `A sign-in of ${fact('member')} was refused: the passkey “${fact('passkey')}” may have been copied.`,
  'strangers-stopped': (_by, fact) =>
    `Strangers tried too many codes for user ${fact('user')} and were blocked for the day. The user is told.`,
  'backup-restored': () =>
    'The database was restored from a backup, or moved. Everything since the backup is gone. The page Missed deliveries says since when. Everybody has to sign in again.',
  'key-refused': () =>
    'The provider rejects the API key. Nobody can sign in by wallet or code, or change endpoints.',
  'key-changed': (by) => `${by} changed the API key.`,
  'service-moved': (_by, fact) =>
    `Somebody on the server moved this installation from ${fact('from')} to ${fact('to')}, another address of the provider.`,
  'retention-changed': (by) => `${by} changed the data retention.`,
  'rules-changed': (by) =>
    `${by} changed the rules for accounts or personal data. The audit log has the details.`,
  'brand-changed': (by) =>
    `${by} changed the name, mark or contact for customers. The audit log has the details.`,
  'words-changed': (by) => `${by} changed customer messages. The audit log has the details.`,
  'alerts-changed': (by) => `${by} changed the rules or channels of alerts. The audit log has the details.`,
} as const satisfies Record<NoticeKind, Sentence>

/** The address of the page that a notice names or is about. Admins read notices, and may open all of them. */
export function pageOfNotice(kind: string, about: string | null): string | null {
  const known = parseNoticeKind(kind)
  return known && pages[known](about !== null && isLowerCaseUuid(about) ? about : null)
}

/** A record has a page below its list. Notices of earlier versions may name none. */
const recordIn = (list: string) => (id: string | null) => (id === null ? list : `${list}/${id}`)
const always = (page: string) => () => page
const endpoint = recordIn('/endpoints')
const member = recordIn('/team')
const person = recordIn('/users')
const replay = recordIn('/replays')

const pages = {
  'endpoint-created': endpoint,
  'endpoint-changed': endpoint,
  'endpoint-activated': endpoint,
  'endpoint-disabled': endpoint,
  'endpoint-switched-off': endpoint,
  'endpoint-replaced': endpoint,
  // The endpoint has no page any more.
  'endpoint-deleted': (id) => (id === null ? '/audit?action=endpoint.delete' : `/audit?about=${id}`),
  'endpoint-taken-over': endpoint,
  'secret-rotated': endpoint,
  'replay-started': replay,
  'replay-resumed': replay,
  'import-started': recordIn('/users/import'),
  'data-exported': always('/audit'),
  'data-revealed': (id) => `/audit?${id === null ? '' : `about=${id}&`}action=read.`,
  'account-numbers-tried': always('/audit?action=search'),
  'person-erased': person,
  'member-invited': always('/team'),
  'member-joined': member,
  'role-changed': member,
  'last-admin-kept': member,
  'role-not-said': member,
  'issuer-moved': always('/team'),
  'identity-linked': member,
  'member-removed': member,
  'sign-in-link': member,
  'passkey-copied': member,
  'strangers-stopped': person,
  'backup-restored': always('/gaps'),
  'key-refused': always('/settings'),
  'key-changed': always('/settings'),
  'service-moved': always('/settings'),
  'retention-changed': always('/settings'),
  'rules-changed': always('/audit?action=settings.change'),
  'brand-changed': always('/audit?action=settings.change'),
  'words-changed': always('/audit?action=settings.sentence'),
  'alerts-changed': always('/audit?action=alert.'),
} as const satisfies Record<NoticeKind, (id: string | null) => string>

/** Every admin gets these notices. A new kind needs its text in `lib/audit/labels/notice-labels.ts`. */
export const noticeKinds = [
  'endpoint-created',
  'endpoint-changed',
  'endpoint-activated',
  'endpoint-disabled',
  'endpoint-switched-off',
  'endpoint-replaced',
  'endpoint-deleted',
  'endpoint-taken-over',
  'secret-rotated',
  'replay-started',
  'replay-resumed',
  'import-started',
  'data-exported',
  'data-revealed',
  'account-numbers-tried',
  'person-erased',
  'member-invited',
  'member-joined',
  'role-changed',
  'last-admin-kept',
  'role-not-said',
  'identity-linked',
  'issuer-moved',
  'member-removed',
  'sign-in-link',
  'passkey-copied',
  'strangers-stopped',
  'backup-restored',
  'key-refused',
  'key-changed',
  'service-moved',
  'retention-changed',
  'rules-changed',
  'brand-changed',
  'words-changed',
  'alerts-changed',
] as const

export type NoticeKind = (typeof noticeKinds)[number]

/** Alerts say the same by mail, so these notices are on the page alone. */
export const noticesWithAlert = [
  'endpoint-switched-off',
  'key-refused',
] as const satisfies readonly NoticeKind[]

/** The kind is read from a row; null when another version wrote a kind that is unknown here. */
export const parseNoticeKind = (text: string): NoticeKind | null =>
  noticeKinds.find((kind) => kind === text) ?? null
