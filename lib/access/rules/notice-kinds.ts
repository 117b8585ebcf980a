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
