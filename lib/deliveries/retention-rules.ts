import 'server-only'

/** A retention rule deletes rows some time after their last use. `docs/retention.md` gives the reasons for the times. */
export interface RetentionRule {
  /** The docs use this name for a table, or for some of its rows. */
  readonly what: string
  readonly table: string
  readonly days: number
  /** The docs use these words for the start of the period. */
  readonly since: string
  /** The SQL condition finds the rows by an index. `$1` is the time so many days ago. */
  readonly condition: string
  /** The database function deletes up to a given number of rows, where the application itself may not delete. */
  readonly deleteBy?: string
  /** The statement keeps in another table what the deleted rows said. They are named `gone`. */
  readonly keep?: string
}

/** The results of a replay are kept for this many days. A stopped replay can continue as long. */
export const replayResultDays = 90

/** Answers to single requests are kept for this many days. */
export const answeredRequestDays = 7

export const retentionRules: readonly RetentionRule[] = [
  {
    what: '`answer_lost`',
    table: 'answer_lost',
    days: 1,
    since: 'noted, once its delivery has left the log',
    condition: 'delivery_id < (SELECT id FROM delivery ORDER BY id LIMIT 1) AND noted_at < $1',
  },
  { what: '`refusal`', table: 'refusal', days: 400, since: 'the minute it counts', condition: 'minute < $1' },
  {
    what: '`answered_request`',
    table: 'answered_request',
    days: answeredRequestDays,
    since: 'the request',
    condition: `id < (lpad(to_hex((extract(epoch FROM $1::timestamptz) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`,
  },
  {
    what: '`refused_caller`',
    table: 'refused_caller',
    days: 90,
    since: 'the hour it counts',
    condition: 'hour < $1',
  },
  {
    what: '`user_import_row`',
    table: 'user_import_row',
    days: 30,
    since: 'the last sign of its import',
    condition: 'import_id = ANY(ARRAY(SELECT id FROM user_import WHERE last_progress_at < $1))',
  },
  { what: '`outage`', table: 'outage', days: 30, since: 'its end', condition: 'ended_at < $1' },
  { what: '`refused_body`', table: 'refused_body', days: 1, since: 'the refusal', condition: 'at < $1' },
  {
    what: '`replay_delivery`',
    table: 'replay_delivery',
    days: replayResultDays,
    since: 'the last sign of its replay',
    condition: 'replay_id = ANY(ARRAY(SELECT id FROM replay WHERE last_progress_at < $1))',
  },
  { what: '`challenge`', table: 'challenge', days: 1, since: 'its expiry', condition: 'expires_at < $1' },
  {
    what: '`passkey_challenge`',
    table: 'passkey_challenge',
    days: 1,
    since: 'its expiry',
    condition: 'expires_at < $1',
  },
  {
    what: '`session`',
    table: 'session',
    days: 30,
    since: 'its latest possible end',
    condition: 'expires_at < $1',
  },
  {
    what: '`known_browser`',
    table: 'known_browser',
    days: 400,
    since: 'the last sign-in with it',
    condition: 'seen_at < $1',
  },
  {
    what: '`code_request`',
    table: 'code_request',
    days: 1,
    since: 'the code was sent',
    condition: 'sent_at < $1',
  },
  {
    what: '`stranger_alarm`',
    table: 'stranger_alarm',
    days: 90,
    since: 'the alarm',
    condition: 'at < $1',
  },
  {
    what: '`sso_attempt`',
    table: 'sso_attempt',
    days: 1,
    since: 'its expiry',
    condition: 'expires_at < $1',
  },
  { what: '`sso_report`', table: 'sso_report', days: 30, since: 'the sign-in', condition: 'at < $1' },
  {
    what: '`access_link`',
    table: 'access_link',
    days: 90,
    since: 'its expiry',
    condition: 'expires_at < $1',
  },
  {
    what: '`member`, who opened a link and set up no way to sign in',
    table: 'member',
    days: 30,
    since: 'the link was opened',
    condition: 'joined_at IS NULL AND created_at < $1',
  },
  {
    what: '`rate_limit`',
    table: 'rate_limit',
    days: 1,
    since: 'the end of its limit',
    condition: 'expire < (extract(epoch FROM $1::timestamptz) * 1000)::bigint',
  },
  {
    what: '`audit`, refused sign-ins, refused links and denied attempts alone',
    table: 'audit',
    days: 90,
    since: 'the refusal',
    condition: `expires_at < $1::timestamptz + interval '90 days'`,
    deleteBy: 'expire_audit',
  },
  {
    what: '`admin_notice`',
    table: 'admin_notice',
    days: 400,
    since: 'it was written',
    condition: 'at < $1',
  },
  {
    what: '`mail`',
    table: 'mail',
    days: 30,
    since: 'its end',
    condition: 'ended_at < $1',
    keep: `UPDATE alert_news SET outcome = gone.state FROM gone WHERE gone.kind = 'alerts' AND message_id = gone.about[1]`,
  },
  {
    what: '`endpoint_status_change`',
    table: 'endpoint_status_change',
    days: 2,
    since: 'it was asked for',
    condition: 'asked_at < $1',
  },
  {
    what: '`delivery_hour`',
    table: 'delivery_hour',
    days: 56,
    since: 'the hour it counts',
    condition: 'hour < $1',
  },
  {
    what: '`overview_mute`',
    table: 'overview_mute',
    days: 400,
    since: 'it was muted',
    condition: 'muted_at < $1',
  },
  {
    what: '`transaction_count`',
    table: 'transaction_count',
    days: 21,
    since: 'the time it counts, but for those that are open',
    condition: `at > 'epoch' AND at < $1`,
  },
  {
    what: '`alert`, resolved ones',
    table: 'alert',
    days: 400,
    since: 'its end',
    condition: 'resolved_at < $1',
  },
  { what: '`alert_news`', table: 'alert_news', days: 400, since: 'it was written', condition: 'at < $1' },
  {
    what: '`alert_message`',
    table: 'alert_message',
    days: 30,
    since: 'its end',
    condition: 'ended_at < $1',
    keep: 'UPDATE alert_news SET outcome = gone.state FROM gone WHERE message_id = gone.id',
  },
  {
    what: '`process_report`',
    table: 'process_report',
    days: 1,
    since: 'the report',
    condition: 'at < $1',
  },
]
