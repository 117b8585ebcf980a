import { type NoticeKind, parseNoticeKind } from '#lib/access/rules/notice-kinds.ts'
import { ownValue } from '#lib/platform/rules/names.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { isolated } from '#lib/platform/rules/visible-text.ts'

/** A notice names these facts beside its kind, such as `{ url: 'https://…' }`. */
export type NoticeFacts = Readonly<Record<string, string>>

/** A notice becomes one sentence. `by` names the actor; the kind of another version is shown as it is. */
export function noticeSentence(kind: string, by: string | null, facts: NoticeFacts): string {
  const known = parseNoticeKind(kind)
  const who = by === null ? 'Somebody' : isolated(by)
  if (!known) return `${who}: ${isolated(kind)}.`
  const endpoint = facts.endpoint ? `the endpoint “${shown(facts.endpoint)}”` : 'an endpoint'
  const sentence = sentences[known](who, (name) => shown(ownValue(facts, name) ?? 'unknown'), endpoint)
  return facts.outcome === 'unsure' ? `${sentence} Whether it took effect is not known.` : sentence
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
    `The service switched off the endpoint “${fact('endpoint')}” because its deliveries failed. It gets nothing until an admin activates it.`,
  'endpoint-replaced': (by, fact, endpoint) =>
    `${by} replaced ${endpoint} by one that delivers to ${fact('url')}.`,
  'endpoint-deleted': (by, _fact, endpoint) => `${by} deleted ${endpoint}.`,
  'endpoint-taken-over': (by, _fact, endpoint) => `${by} had this dashboard take over ${endpoint}.`,
  'secret-rotated': (by, _fact, endpoint) => `${by} rotated the secret of ${endpoint}.`,
  'replay-started': (by, fact) => `${by} sent ${fact('deliveries')} stored deliveries again, ${fact('to')}.`,
  'replay-resumed': (by, fact) => `${by} resumed a replay, ${fact('to')}.`,
  'import-started': (by, fact) => `${by} began to import ${fact('people')} people from a file.`,
  'data-exported': (by, fact) => `${by} exported personal data: ${fact('what')}.`,
  'data-revealed': (by, fact) => `${by} had masked data of ${fact('person')} shown; the audit lists what.`,
  'account-numbers-tried': (by) =>
    `${by} looked for as many account numbers as one person may in a day. Whoever tries one after another can find one that is shown masked.`,
  'person-erased': (by) => `${by} erased a person.`,
  'member-invited': (by, fact) => `${by} invited ${fact('member')} to the team as ${fact('role')}.`,
  'member-joined': (by, fact) => `${by} made ${fact('member')} a member of the team as ${fact('role')}.`,
  'role-changed': (by, fact) =>
    `${by} changed the role of ${fact('member')} from ${fact('before')} to ${fact('after')}.`,
  'last-admin-kept': (_by, fact) =>
    `Single sign-on takes the role of an admin from ${fact('member')} (now: ${fact('after')}), the last admin. Nothing was changed, and nobody was signed in. Make somebody else an admin, or have the provider give the role back.`,
  'role-not-said': (_by, fact) =>
    `Single sign-on did not say which role ${fact('member')} has: the claim “${fact('claim')}” ${fact('how')}. Nobody was signed in, and no role, session or link was changed. Whoever is to lose a role is removed on the page Team. The page Settings shows what came (${fact('came')}).`,
  'issuer-moved': (_by, fact) =>
    `Somebody on the server took ${fact('members')} members who sign in by single sign-on from ${fact('from')} to ${fact('to')}.`,
  'identity-linked': (_by, fact) =>
    `${fact('member')} signs in by single sign-on too: the provider confirms the address by which they were invited.`,
  'member-removed': (by, fact) => `${by} removed ${fact('member')} (${fact('before')}) from the team.`,
  'sign-in-link': (_by, fact) =>
    `Somebody on the server made a link that signs in as ${fact('member')} (${fact('role')}).`,
  'passkey-copied': (_by, fact) =>
    `A sign-in of ${fact('member')} was refused: the passkey “${fact('passkey')}” may have been copied.`,
  'strangers-stopped': (_by, fact) =>
    `Strangers tried codes for user ${fact('user')} so often that they were stopped for the day. The user is told.`,
  'backup-restored': () =>
    'The database was restored from a backup, or moved. What was acknowledged or done here after the backup is gone; the page Gaps says since when. Everybody has to sign in again.',
  'key-refused': () =>
    'The service refuses the API key: nobody can sign in by wallet or code, and no endpoint can be changed.',
  'key-changed': (by) => `${by} gave another API key.`,
  'retention-changed': (by) => `${by} changed how long events, their bodies and personal data are kept.`,
  'rules-changed': (by) =>
    `${by} changed who may open an account, or what showing and sharing personal data asks for; the audit says which.`,
  'brand-changed': (by) =>
    `${by} changed the name or mark that customers see, or to whom they write; the audit says which.`,
  'words-changed': (by) => `${by} changed what customers read; the audit says which sentences.`,
} as const satisfies Record<NoticeKind, Sentence>
