import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { checkChainNow } from '../../../lib/audit/check-chain.ts'
import { appendPastDeliveries } from '../../../lib/deliveries/ingest/insert-deliveries.ts'
import { setStatus } from '../../../lib/endpoints/change-endpoint.ts'
import { closeGap } from '../../../lib/endpoints/gaps/close-gap.ts'
import { repairEndpoint } from '../../../lib/endpoints/repair-endpoint.ts'
import { signInWithCode } from '../../../lib/identity/sign-in/sign-in-with-code.ts'
import { retryDeadLettersNow } from '../../../lib/operations/dead-letters/retry-dead-letters.ts'
import type { ConditionCode } from '../../../lib/operations/rules/alert-conditions.ts'
import { sleep } from '../faults/test-bed.ts'
import { addEndpoint, deliverHealthy, envelope, healthyEndpoint, made, madeBy } from './endpoints.ts'
import { type AlertStage, admin, browser, reason, waitFor } from './open-stage.ts'

/** A cause makes a condition true in the installation, as it would come about, and later mends it. */
export interface Cause {
  /** Messages for people say this of the firing alert. */
  readonly says: RegExp
  /** The rule has this threshold meanwhile, so that the cause need not be as bad as in life. */
  readonly threshold?: number
  cause(stage: AlertStage): Promise<unknown>
  mend(stage: AlertStage): Promise<unknown>
}

const gapsOfDeliveries = `outcome IS NULL AND kind IN ('down', 'restored', 'deferred', 'refused')`

export const causes: Readonly<Record<ConditionCode, Cause>> = {
  'endpoint-off': {
    says: /The endpoint \w{8} has been off for/,
    threshold: 0,
    async cause(stage) {
      const { uuid } = await addEndpoint(stage, 'otpNotification')
      made.set('endpoint-off', uuid)
      await stage.control(`endpoints/${uuid}/auto-disable`, {})
    },
    mend: () => setStatus(admin, { endpointUuid: madeBy('endpoint-off'), status: 'active', reason }, browser),
  },

  'endpoint-failing': {
    says: /\d+ deliver\w+ in a row were refused at the endpoint \w{8}/,
    threshold: 2,
    async cause(stage) {
      const { uuid } = await addEndpoint(stage, 'duplicateUser')
      made.set('endpoint-failing', uuid)
      // Another holder of the API key rotates the secret, so Rampart does not know it.
      await stage.callService('PATCH', `merchant/webhook-endpoints/${uuid}/secret`)
      for (let n = 0; n < 2; n++) await stage.control('events', envelope('duplicateUser', 'x'))
    },
    async mend(stage) {
      await repairEndpoint(admin, { endpointUuid: madeBy('endpoint-failing'), reason }, browser)
      await stage.control('events', envelope('duplicateUser', 'x'))
    },
  },

  'deliveries-missed': {
    says: /Deliveries may be missing from a gap of/,
    threshold: 0,
    async cause(stage) {
      await healthyEndpoint(stage)
      await stage.server.kill('SIGKILL')
      await sleep(35_000)
      await stage.server.start()
      await waitFor(
        async () => ((await stage.ask(`SELECT FROM gap WHERE kind = 'down'`)).length > 0 ? null : 'a gap'),
        30,
      )
      // A silence counts from the end of such a gap, and is caused beside it.
      await stage.ask(
        `UPDATE gap SET began_at = began_at - interval '3 hours', ended_at = ended_at - interval '3 hours' WHERE kind = 'down'`,
      )
    },
    async mend(stage) {
      const gaps = await stage.ask<{ id: string }>(`SELECT id FROM gap WHERE ${gapsOfDeliveries}`)
      for (const { id: gapId } of gaps)
        await closeGap(admin, { gapId, outcome: 'nothing-missing', reason }, browser)
    },
  },

  silence: {
    says: /No delivery has come for .*, which is unusual/,
    async cause(stage) {
      const { receiverId } = await addEndpoint(stage, 'walletCreated')
      // The log is as if deliveries had come for weeks, until an hour ago.
      await appendPastDeliveries([
        {
          receiverId,
          receivedAt: new Date(Date.now() - 3_600_000),
          body: Buffer.from(JSON.stringify(envelope('walletCreated', 'x'))),
        },
      ])
      await stage.ask(USUAL_PACE, [receiverId])
    },
    mend: (stage) => stage.control('events', envelope('walletCreated', 'x')),
  },

  'dead-letters': {
    says: /1 delivery could not be processed/,
    async cause(stage) {
      await stage.ask(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a bug'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON event FOR EACH ROW WHEN (NEW.sub_type = 'BAD') EXECUTE FUNCTION refuse()`)
      await deliverHealthy(stage, envelope('KYC', 'BAD'))
    },
    async mend(stage) {
      await stage.ask('DROP TRIGGER refuse ON event; DROP FUNCTION refuse')
      await retryDeadLettersNow(admin, { reason }, browser)
    },
  },

  'refused-deliveries': {
    says: /1\d deliveries were refused in 15 min: they carried no Authorization/,
    async cause(stage) {
      const { receiverId } = await healthyEndpoint(stage)
      for (let n = 0; n < 10; n++) await stage.deliver(receiverId, envelope('KYC', 'x'))
    },
    // A quarter of an hour later nothing of it counts any more.
    mend: (stage) => stage.ask(`UPDATE refusal SET minute = minute - interval '16 minutes'`),
  },

  'sign-in-attacks': {
    says: /\d\d+ sign-ins were refused in 15 min/,
    async cause() {
      const stranger = { ip: '203.0.113.7', userAgent: 'curl', browserId: null }
      const guesses = Array.from({ length: 60 }, (_, n) => String(100_000 + n))
      await Promise.all(
        guesses.map((code) => signInWithCode({ email: 'ana.lima@example.com', code }, stranger)),
      )
    },
    // The window is a quarter of an hour, and entries of the audit cannot be moved without breaking its chain.
    mend: (stage) => stage.changeRule('sign-in-attacks', { threshold: 1_000 }),
  },

  'audit-broken': {
    says: /The audit log was changed from outside: \d+ faults? in its chain/,
    async cause(stage) {
      const [entry] = await stage.ask<{ id: string; target: string | null }>(
        'SELECT id, target FROM audit WHERE target IS NOT NULL ORDER BY id LIMIT 1',
      )
      made.set('audit-broken', JSON.stringify(entry))
      await changeAudit(stage, entry?.id, 'somebody else')
      await checkChainNow(admin, {}, browser)
    },
    async mend(stage) {
      const { id, target } = JSON.parse(madeBy('audit-broken'))
      await changeAudit(stage, id, target)
      await checkChainNow(admin, {}, browser)
    },
  },

  'disk-full': {
    says: /The disk of [\w.-]+ is \d+ percent full/,
    async cause(stage) {
      if (!stage.disk.isSmall) return stage.changeRule('disk-full', { threshold: 1 })
      return fs.promises.writeFile(path.join(stage.disk.folder, 'ballast'), Buffer.alloc(15.5 * 1024 * 1024))
    },
    mend: (stage) =>
      stage.disk.isSmall
        ? fs.promises.rm(path.join(stage.disk.folder, 'ballast'))
        : stage.changeRule('disk-full', { threshold: 100 }),
  },

  'database-full': {
    says: /The database has [\d.]+ GB/,
    cause: (stage) => stage.changeRule('database-full', { enabled: true, threshold: 0.01 }),
    mend: (stage) => stage.changeRule('database-full', { enabled: true, threshold: 100 }),
  },

  'month-missing': {
    says: /The table delivery_\d{4}_\d\d is missing, which is needed in \d+ days/,
    threshold: 150,
    async cause(stage) {
      const [month] = await stage.ask<{ name: string }>(
        `SELECT to_char(now() + interval '4 months', '"delivery_"YYYY_MM') AS name`,
      )
      await stage.ask(`DROP TABLE ${month?.name}`)
      await forbidMaintenance(stage)
    },
    mend: permitMaintenance,
  },

  'migration-failed': {
    says: /The migration \w+ is not done after/,
    threshold: 0,
    async cause(stage) {
      await stage.ask(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%list_indexes'`)
      await forbidMaintenance(stage)
    },
    mend: permitMaintenance,
  },

  'unknown-type': {
    says: /1 event has the unknown type proofUnknown/,
    cause: (stage) => deliverHealthy(stage, envelope('proofUnknown', 'x')),
    // Two weeks later nothing of it counts any more.
    mend: (stage) => stage.ask(OLDER_EVENT),
  },

  'transaction-stuck': {
    says: /A transaction has been stuck for/,
    cause: (stage) => addTransaction(stage, 'transaction-stuck', 'PENDING', 30),
    mend: (stage) => endTransaction(stage, 'transaction-stuck'),
  },

  'transaction-held': {
    says: /A transaction has been on hold for/,
    cause: (stage) => addTransaction(stage, 'transaction-held', 'ON_HOLD', 50),
    mend: (stage) => endTransaction(stage, 'transaction-held'),
  },

  'certificate-expiry': {
    says: /The certificate of localhost expires in \d/,
    cause: async (stage) => stage.certify(5),
    mend: async (stage) => stage.certify(365),
  },

  'no-projector': {
    says: /No projector has run for/,
    threshold: 5,
    cause: (stage) => stage.projector.kill('SIGTERM'),
    mend: (stage) => stage.projector.start(),
  },

  'backlog-size': {
    says: /At least [56] deliveries wait to be shown/,
    threshold: 5,
    async cause(stage) {
      for (let n = 0; n < 6; n++) await deliverHealthy(stage, envelope('KYC', `n${n}`))
    },
    // The projector folds them when it is back.
    mend: async () => undefined,
  },

  'backlog-age': {
    says: /A delivery has waited for .* to be shown/,
    threshold: 5,
    cause: async () => undefined,
    mend: async () => undefined,
  },

  'no-live-process': {
    says: /No live process has run on [\w.-]+ for/,
    threshold: 5,
    async cause(stage) {
      // The server starts another one when one is silent, so each is stopped at once.
      const stopped = new Set<number>()
      stoppingLive = setInterval(() => {
        const pid = findLive(stage)
        if (pid === null || stopped.has(pid)) return
        stopped.add(pid)
        process.kill(pid, 'SIGSTOP')
      }, 50)
    },
    async mend(stage) {
      clearInterval(stoppingLive)
      const pid = findLive(stage)
      if (pid !== null) process.kill(pid, 'SIGKILL')
    },
  },

  'key-refused': {
    says: /The provider has rejected the API key for/,
    async cause(stage) {
      await stage.service.kill('SIGKILL')
      await stage.strictService.start()
    },
    async mend(stage) {
      await stage.strictService.kill('SIGKILL')
      await stage.service.start()
    },
  },

  'service-away': {
    says: /The provider has not answered for/,
    threshold: 0,
    cause: (stage) => stage.service.kill('SIGKILL'),
    mend: (stage) => stage.service.start(),
  },

  'backup-old': {
    says: /The last known backup is .* old/,
    cause: (stage) =>
      stage.ask(`UPDATE _prisma_migrations SET finished_at = finished_at - interval '3 days'`),
    mend: (stage) => stage.runCommand('backed-up'),
  },

  'clock-difference': {
    says: /The clock differs from that of the provider by/,
    cause: (stage) => stage.control('clock/advance', { seconds: 120 }),
    mend: (stage) => stage.control('clock/set', { now: new Date().toISOString() }),
  },
}

let stoppingLive: NodeJS.Timeout | undefined

function findLive(stage: AlertStage): number | null {
  try {
    return stage.livePid()
  } catch {
    // No such process runs at this moment.
    return null
  }
}

/** The superuser changes an entry past the triggers of the table. */
const changeAudit = (stage: AlertStage, id: string | undefined, target: string | null | undefined) =>
  stage.ask(
    `DO $do$ BEGIN
       SET LOCAL session_replication_role = replica;
       UPDATE audit SET target = '${target?.replaceAll("'", "''")}' WHERE id = '${id}';
     END $do$`,
  )

/** No table and no index can be made, as by a role whose rights were taken away. */
const forbidMaintenance = (stage: AlertStage) =>
  stage.ask(`
    CREATE OR REPLACE FUNCTION forbid() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'not allowed'; END $$;
    DROP EVENT TRIGGER IF EXISTS forbid;
    CREATE EVENT TRIGGER forbid ON ddl_command_start WHEN TAG IN ('CREATE TABLE', 'CREATE INDEX') EXECUTE FUNCTION forbid()`)

async function permitMaintenance(stage: AlertStage) {
  await stage.ask('DROP EVENT TRIGGER IF EXISTS forbid')
  await stage.maintain()
}

async function addTransaction(stage: AlertStage, name: ConditionCode, step: string, hours: number) {
  const { receiverId } = await healthyEndpoint(stage)
  const transactionUuid = crypto.randomUUID()
  made.set(name, transactionUuid)
  const body = envelope('fiatToCrypto', step, { transactionUuid, direction: 'fiatToCrypto' })
  const receivedAt = new Date(Date.now() - hours * 3_600_000)
  await appendPastDeliveries([{ receiverId, receivedAt, body: Buffer.from(JSON.stringify(body)) }])
}

const endTransaction = (stage: AlertStage, name: ConditionCode) =>
  deliverHealthy(
    stage,
    envelope('fiatToCrypto', 'SUCCESS', { transactionUuid: madeBy(name), direction: 'fiatToCrypto' }),
  )

/** Each hour of the last weeks had 200 deliveries. */
const USUAL_PACE = `
  INSERT INTO delivery_hour (receiver_id, hour, deliveries)
  SELECT $1, hour, 200 FROM generate_series(
    date_trunc('hour', now() - interval '5 weeks'), date_trunc('hour', now() - interval '5 days'), interval '1 hour') AS hour
  ON CONFLICT DO NOTHING`

/** The time of an event is in its id. */
const OLDER_EVENT = `
  UPDATE event SET id = (lpad(to_hex((extract(epoch FROM now() - interval '15 days') * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
  WHERE type = 'proofUnknown'`
