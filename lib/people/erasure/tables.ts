import 'server-only'
import { bodyOf } from '#lib/platform/db/statements.ts'
import {
  isOfTheirs,
  isTheirAddress,
  isThem,
  linkIsTheirs,
  names,
  noteIsAboutThem,
  noticeConcernsThem,
  noticeIsAboutThem,
  ofAddresses,
  ofTexts,
  ofUser,
  ofValues,
  reasonsAboutThem,
  type Statement,
  snoozeIsAboutThem,
  startOfRows,
  theirMember,
  theirUuid,
} from './conditions.ts'

/** Each table has a rule: an erasure treats the person's data in it one way, and an export gives it one way. */
export const tables: Readonly<Record<string, Treatment>> = {
  person_term: {
    erase: ofUser('DELETE FROM person_term WHERE user_uuid = $1'),
    give: { not: 'made of the directory' },
  },
  person: held('person', ofUser('user_uuid = $1'), {
    name: 'directory',
    columns:
      'email, target_address, first_name, last_name, country, status, customer_number, linked_corporates, source, created_at, updated_at',
  }),
  user_lookup: held('user_lookup', ofUser('user_uuid = $1'), {
    name: 'lookUp',
    columns: 'outcome, noted_at',
  }),
  session: held('session', ofAddresses(`user_uuid = ${theirUuid} OR member_id IN ${theirMember}`), {
    name: 'signIns',
    columns:
      'method, role, user_agent, ip, created_at, signed_in_at, last_seen_at, expires_at, ended_at, end_reason',
  }),
  known_browser: held('known_browser', ofUser('user_uuid = $1'), {
    name: 'knownBrowsers',
    columns: 'seen_at',
  }),
  code_request: held('code_request', ofUser('user_uuid = $1'), {
    name: 'codes',
    columns: 'sent_at, wrong_guesses',
  }),
  sign_up: held('sign_up', ofUser('user_uuid = $1'), {
    name: 'signUp',
    columns: 'target_address, wallet_state, at, decided_at',
  }),
  sign_up_attempt: held('sign_up_attempt', ofValues('lower(target_address) = ANY($1::text[])'), {
    name: 'signUpAttempts',
    columns: 'target_address, at',
  }),
  stranger_alarm: held('stranger_alarm', ofUser('user_uuid = $1'), {
    name: 'strangersStopped',
    columns: 'at, seen_at',
  }),
  // The file's name may name a person in it.
  user_import: {
    erase: ofTexts(`UPDATE user_import SET file_name = 'Erased' WHERE ${names('file_name')}`),
    give: {
      name: 'imports',
      ...ofTexts(given('user_import', 'file_name, state, checked_at', names('file_name'))),
    },
  },
  user_import_row: held(
    'user_import_row',
    ofAddresses(`user_uuid = ${theirUuid} OR ${isTheirAddress('email')}`),
    {
      name: 'importLines',
      columns: 'line, state, email, first_name, last_name, country, customer_number, error',
    },
  ),
  challenge: held('challenge', ofValues('lower(address) = ANY($1::text[])'), {
    name: 'walletMessages',
    columns: 'address, chain_id, message, purpose, issued_at, expires_at, used_at',
  }),
  passkey: held('passkey', ofAddresses(`member_id IN ${theirMember}`), {
    name: 'passkeys',
    columns: 'name, transports, backed_up, created_at, last_used_at',
  }),
  sso_report: held('sso_report', ofAddresses(isThem('person')), {
    name: 'singleSignOn',
    columns: 'at, report',
  }),
  admin_notice: {
    erase: ofTexts(
      `UPDATE admin_notice SET
         actor = CASE WHEN ${isThem('actor')} THEN NULL ELSE actor END,
         seen_by = ARRAY(SELECT seen FROM unnest(seen_by) AS one (seen) WHERE NOT ${isThem('seen')}),
         actor_name = CASE WHEN ${isThem('actor')} THEN 'Erased' ELSE actor_name END,
         about = NULLIF(about, ($1::text[])[1]),
         reason = CASE WHEN ${noticeIsAboutThem} OR ${names('reason')} THEN NULL ELSE reason END,
         facts = (SELECT COALESCE(jsonb_object_agg(key,
                    CASE WHEN key IN ('member', 'passkey', 'person') AND (${noticeIsAboutThem}) OR ${names('fact')}
                         THEN 'Erased' ELSE fact END), '{}')
                  FROM jsonb_each_text(facts) AS one (key, fact))
       WHERE ${noticeConcernsThem}`,
    ),
    give: {
      name: 'adminNotices',
      ...ofTexts(
        given(
          'admin_notice',
          `at, kind, CASE WHEN ${noticeIsAboutThem} OR ${names('reason')} THEN reason END AS reason,
           (SELECT COALESCE(jsonb_object_agg(key, fact), '{}') FROM jsonb_each_text(facts) AS one (key, fact)
            WHERE ${noticeIsAboutThem} OR ${names('fact')}) AS facts,
           ${isThem('actor')} AS "byThePerson"`,
          noticeConcernsThem,
        ),
      ),
    },
  },
  // The mail goes before the links, since it finds invitations by them.
  mail: held(
    'mail',
    ofAddresses(
      `${isTheirAddress('recipient')}
       OR kind = 'invitation' AND about && ARRAY(SELECT id FROM access_link WHERE ${linkIsTheirs})`,
    ),
    { name: 'mails', columns: 'kind, recipient, state, created_at, ended_at' },
  ),
  access_link: held('access_link', ofAddresses(linkIsTheirs), {
    name: 'invitations',
    columns: 'kind, name, email, role, created_at, expires_at, used_at, withdrawn_at',
  }),
  transaction_note: held(
    'transaction_note',
    { of: 'texts', sql: noteIsAboutThem },
    {
      name: 'notes',
      columns: 'subject_id, text, ticket, written_at, changed_at',
    },
  ),
  // The row stays, so that a snoozed item is not listed again.
  overview_mute: {
    erase: ofTexts(`UPDATE overview_mute SET note = 'Erased' WHERE ${snoozeIsAboutThem}`),
    give: {
      name: 'mutes',
      ...ofTexts(given('overview_mute', 'kind, about, note, muted_at', snoozeIsAboutThem)),
    },
  },
  replay: {
    erase: ofTexts(
      `UPDATE replay SET reason = 'Erased',
         filter = CASE WHEN ${isOfTheirs} THEN filter || '{"user": "erased"}' ELSE filter END
       WHERE ${isOfTheirs} OR ${names('reason')}`,
    ),
    give: {
      name: 'replays',
      ...ofTexts(
        given(
          'replay',
          `kind, CASE WHEN ${isOfTheirs} THEN filter END AS filter, reason, started_at`,
          `${isOfTheirs} OR ${names('reason')}`,
        ),
      ),
    },
  },
  gap: {
    erase: ofTexts(`UPDATE gap SET reason = 'Erased' WHERE ${names('reason')}`),
    give: { name: 'gaps', ...ofTexts(given('gap', 'began_at, ended_at, reason', names('reason'))) },
  },
  alert_member: held('alert_member', ofAddresses(`member_id IN ${theirMember}`), {
    name: 'alertChoices',
    columns: 'receives, quiet, updated_at',
  }),
  // The service may write anything as a type, which is the subject of an alert. Who acknowledged one stays, by id.
  alert: {
    erase: ofTexts(`UPDATE alert SET subject = 'Erased ' || id WHERE ${names('subject')}`),
    give: {
      name: 'alerts',
      ...ofTexts(
        given(
          'alert',
          'condition, fired_at, acknowledged_at',
          `${isThem('acknowledged_by')} OR ${names('subject')}`,
        ),
      ),
    },
  },
  alert_channel: {
    erase: ofTexts(`UPDATE alert_channel SET name = 'Erased' WHERE ${names('name')}`),
    give: {
      name: 'alertChannels',
      ...ofTexts(given('alert_channel', 'kind, name, created_at', names('name'))),
    },
  },
  alert_news: {
    erase: ofAddresses(`UPDATE alert_news SET member_id = NULL WHERE member_id IN ${theirMember}`),
    give: { not: 'says which alerts went to a member, whose mails are given' },
  },
  endpoint_person: {
    erase: { kept: 'of members, by id: who knows which secret' },
    give: {
      name: 'endpoints',
      ...ofAddresses(given('endpoint_person', 'endpoint_uuid, what, at, ended_at', isThem('person'))),
    },
  },
  share_token: {
    erase: ofUser('DELETE FROM share_token WHERE user_uuid = $1'),
    give: {
      name: 'shareTokens',
      ...ofAddresses(
        given(
          'share_token',
          `CASE WHEN user_uuid = ${theirUuid} THEN user_uuid END AS user_uuid, at`,
          `user_uuid = ${theirUuid} OR ${isThem('person')}`,
        ),
      ),
    },
  },
  // The member goes last of the tables that are found by it. Nothing refers to one who never joined.
  member: {
    erase: ofAddresses(
      `WITH unjoined AS (DELETE FROM member WHERE id IN ${theirMember} AND joined_at IS NULL)
       UPDATE member SET user_uuid = NULL, former_user_uuid = NULL, name = 'Erased', email = NULL, sso_issuer = NULL, sso_subject = NULL, sso_email = NULL
       WHERE id IN ${theirMember} AND removed_at IS NOT NULL AND joined_at IS NOT NULL`,
    ),
    give: {
      name: 'member',
      ...ofAddresses(
        given(
          'member',
          'name, email, role, created_at, joined_at, removed_at, sso_issuer, sso_subject, sso_email',
          `id IN ${theirMember}`,
        ),
      ),
    },
  },
  transaction: {
    erase: 'fold',
    give: {
      name: 'transactions',
      paged: true,
      ...ofUser(
        `SELECT subject_id AS key, to_jsonb(t) AS row FROM transaction AS t
         WHERE user_uuid = $1 AND subject_id > $2 ORDER BY subject_id LIMIT $3`,
      ),
    },
  },
  event: {
    erase: 'fold',
    give: {
      name: 'events',
      paged: true,
      ...ofUser(
        `WITH kept AS MATERIALIZED (
           SELECT * FROM event WHERE entity_uuid = $1 AND id > ${startOfRows} ORDER BY id LIMIT $3
         )
         SELECT id::text AS key,
                jsonb_build_object('id', id, 'subject', subject_id, 'type', type, 'subType', sub_type, 'status', status,
                  'receivedAt', first_received_at, 'deliveries', deliveries,
                  'body', encode(${bodyOf('kept')}, 'escape')) AS row
         FROM kept ORDER BY id`,
      ),
    },
  },
  event_delivery: { erase: 'fold', give: { not: 'how often and when an event came, without what it says' } },
  standing: { erase: 'fold', give: { not: 'made of the events' } },
  identifier: { erase: 'fold', give: { not: 'made of the events' } },
  delivery: { erase: 'log', give: 'bodies' },
  search_link: { erase: 'links', give: 'links' },
  erasure: { erase: 'mark', give: { not: 'names nobody' } },
  // The chain holds digests of reasons, which do not lead back to the removed text (decision 0047).
  audit_reason: {
    erase: ofTexts(`SELECT erase_audit_reasons(ARRAY(SELECT id FROM (${reasonsAboutThem}) AS theirs))`),
    give: {
      name: 'auditReasons',
      ...ofTexts(`SELECT '' AS key, to_jsonb(theirs) AS row FROM (${reasonsAboutThem}) AS theirs`),
    },
  },
  audit: {
    erase: {
      kept: 'who did what is proof for others too; it holds ids and from where each thing was done (IP address, browser), no names, e-mail addresses, accounts, customer numbers or reasons',
    },
    give: {
      name: 'audit',
      paged: true,
      ...ofUser(
        `SELECT id::text AS key,
                jsonb_build_object('at', at, 'action', action, 'outcome', outcome, 'byThePerson', actor = $1,
                  'ip', CASE WHEN actor = $1 THEN ip END) AS row
         FROM audit WHERE (target = $1 OR actor = $1 OR details ->> 'person' = $1) AND id > ${startOfRows} ORDER BY id LIMIT $3`,
      ),
    },
  },
  audit_counter: {
    erase: { kept: 'counts of a minute, on their way into the audit' },
    give: {
      name: 'auditOfThisMinute',
      ...ofUser(
        given('audit_counter', 'minute, action, outcome, count', '$1::uuid::text IN (actor, target, person)'),
      ),
    },
  },
  audit_link: 'nobody',
  alert_rule: 'nobody',
  alert_message: 'nobody',
  process_report: 'nobody',
  passkey_challenge: 'nobody',
  setting: 'nobody',
  rate_limit: 'nobody',
  sso_attempt: 'nobody',
  receiver: 'nobody',
  receiver_period: 'nobody',
  refused_body: 'nobody',
  outage: 'nobody',
  secret_handoff: 'nobody',
  refusal: 'nobody',
  answered_request: 'nobody',
  refused_caller: 'nobody',
  key_fault: 'nobody',
  delivery_pending: 'nobody',
  rebuild: 'nobody',
  rebuild_part: 'nobody',
  answer_lost: 'nobody',
  lease: 'nobody',
  usual_stay: 'nobody',
  usual_next: 'nobody',
  transaction_count: 'nobody',
  standing_count: 'nobody',
  heartbeat: 'nobody',
  watched_endpoint: 'nobody',
  endpoint_status_change: 'nobody',
  endpoint_state: 'nobody',
  delivery_hour: 'nobody',
  replay_delivery: 'nobody',
}

/** `nobody`: the table holds nothing of a person. */
export type Treatment = 'nobody' | { readonly erase: Erasing; readonly give: Giving }

/**
 * `log` and `fold` are overwritten or rebuilt by `runErasure`. `linkPersonOf` says which `links` are
 * overwritten. `mark` is left by an erasure. `kept` stays, for the given reason. A statement removes the rest.
 */
type Erasing = 'log' | 'fold' | 'links' | 'mark' | { readonly kept: string } | Statement

/**
 * `bodies` are found by `findMentions`. `links` are searches for the person. `not` gives nothing, for the given
 * reason. A part gives rows under a name, without secrets and digests.
 */
type Giving = 'bodies' | 'links' | { readonly not: string } | Part

/** The rows are JSON. A paged part reads at most `$3` rows after the key `$2`. */
export interface Part extends Statement {
  readonly name: string
  readonly paged?: true
}

/** The rows are deleted, and exported with these columns. */
function held(
  table: string,
  { of, sql }: Statement,
  { name, columns }: { readonly name: string; readonly columns: string },
): Treatment {
  const whole = (text: string): Statement => (of === 'texts' ? ofTexts(text) : { of, sql: text })
  return {
    erase: whole(`DELETE FROM ${table} WHERE ${sql}`),
    give: { ...whole(given(table, columns, sql)), name },
  }
}

function given(table: string, columns: string, where: string): string {
  return `SELECT '' AS key, to_jsonb(held) AS row FROM (SELECT ${columns} FROM ${table} WHERE ${where}) AS held`
}

/** The statements of an erasure run in this order. */
export const removals: readonly Statement[] = Object.values(tables).flatMap(removalOf)

/** These removals use the person's values, so they run again when all values are known. */
export const valueRemovals: readonly Statement[] = removals.filter(({ of }) => of !== 'user')

/** An export has its parts in this order. */
export const parts: readonly Part[] = Object.values(tables).flatMap((treatment) =>
  treatment !== 'nobody' && typeof treatment.give === 'object' && 'sql' in treatment.give
    ? [treatment.give]
    : [],
)

function removalOf(treatment: Treatment | undefined): readonly Statement[] {
  if (treatment === undefined || treatment === 'nobody') return []
  return typeof treatment.erase === 'object' && 'sql' in treatment.erase ? [treatment.erase] : []
}
