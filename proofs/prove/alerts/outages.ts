import type { ConditionCode } from '../../../lib/operations/rules/alert-conditions.ts'
import { sleep } from '../faults/test-bed.ts'
import { causes } from './causes.ts'
import { type AlertStage, waitFor } from './open-stage.ts'
import { hookKinds } from './sinks.ts'
import { isMissing } from './tally.ts'

/** An outage hits Rampart or a channel while alerts change. It answers what held, or throws. */
export const outages: Readonly<Record<string, (stage: AlertStage) => Promise<string>>> = {
  database: async (stage) => {
    await stage.changeRule('service-away', { threshold: 0 })
    await cause(stage, 'dead-letters')
    await waitFor(async () => ((await firing(stage)).includes('dead-letters') ? null : 'an alert'), 60)
    await stage.database.stop()
    await stage.service.kill('SIGKILL')
    // The conditions about processes need a minute to fire.
    await sleep(75_000)
    await stage.database.start()
    // Deliveries could not be taken either.
    const expected = ['dead-letters', 'service-away', 'deliveries-missed'] as const
    await reported(stage, expected, false)
    await stage.service.start()
    await mend(stage, 'dead-letters')
    await mend(stage, 'deliveries-missed')
    await reported(stage, expected, true)
    const others = (await firing(stage)).filter((code) => !expected.some((one) => one === code))
    if (others.length > 0) throw new Error(`It also said ${others}`)
    return '75 s without a database: alerts of before, of meanwhile and of the outage were each said once, and nothing else'
  },

  mail: async (stage) => {
    await stage.mails.goAway()
    await cause(stage, 'audit-broken')
    const tries = async () =>
      (
        await stage.ask<{ tries: number }>(
          `SELECT tries FROM mail WHERE kind = 'alerts' AND claimed_until IS NULL`,
        )
      )[0]?.tries ?? 0
    let tried = 0
    // The pauses of these tries together are an hour.
    for (; tried < 6; tried++) {
      await waitFor(async () => {
        await isMissing(stage, ['audit-broken'], false)
        return (await tries()) > tried ? null : `try ${tried + 1}`
      }, 120)
      await stage.ask(`UPDATE mail SET next_at = now() WHERE state = 'waiting' AND claimed_until IS NULL`)
    }
    if (stage.mails.received().length > 0) throw new Error('A mail came while the server was away')
    await stage.mails.comeBack()
    await waitFor(async () => {
      await stage.ask(`UPDATE mail SET next_at = now() WHERE state = 'waiting' AND claimed_until IS NULL`)
      return isMissing(stage, ['audit-broken'], false)
    }, 120)
    await mend(stage, 'audit-broken')
    await reported(stage, ['audit-broken'], true)
    return `${tried} tries while the mail server was away for an hour, then one mail, and one of the end`
  },

  replicas: async (stage) => {
    await stage.replica.start()
    try {
      await cause(stage, 'audit-broken')
      await reported(stage, ['audit-broken'], false)
      await stage.measuring.kill('SIGKILL')
      await mend(stage, 'audit-broken')
      await reported(stage, ['audit-broken'], true)
    } finally {
      await stage.replica.kill('SIGTERM')
      await stage.measuring.start()
    }
    return 'two replicas, one of them killed between beginning and end: each said once'
  },

  killed: async (stage) => {
    const copies = () =>
      hookKinds.slice(0, 3).map((one) => stage.hooks.taken.filter(({ kind }) => kind === one).length)
    stage.hooks.answer(false)
    await cause(stage, 'audit-broken')
    await waitFor(async () => {
      await isMissing(stage, ['audit-broken'], false)
      return copies().every((count) => count > 0) ? null : 'messages under way'
    }, 120)
    await stage.measuring.kill('SIGKILL')
    stage.hooks.answer(true)
    await stage.ask(
      `UPDATE alert_message SET claimed_until = now() - interval '1 s' WHERE claimed_until IS NOT NULL`,
    )
    await stage.measuring.start()
    await waitFor(async () => {
      const left = await stage.ask(
        `SELECT FROM alert_message WHERE state = 'waiting' AND unsure = 1 AND claimed_until IS NULL`,
      )
      return left.length === 3 ? null : `${left.length} that may have arrived`
    }, 120)
    if (copies().some((count) => count !== 1)) throw new Error(`Repeated at once: ${copies()}`)
    await stage.ask(`UPDATE alert_message SET next_at = now() WHERE state = 'waiting'`)
    await waitFor(async () => (copies().every((count) => count === 2) ? null : `${copies()} copies`), 60)
    await sleep(20_000)
    if (copies().some((count) => count !== 2)) throw new Error(`More than one copy: ${copies()}`)
    const ids = new Set(stage.hooks.taken.flatMap(({ alerts }) => alerts.map(({ messageId }) => messageId)))
    if (ids.size !== 1) throw new Error('A copy has another id')
    await mend(stage, 'audit-broken')
    await waitFor(async () => {
      await isMissing(stage, ['audit-broken'], true)
      return copies().every((count) => count === 3) ? null : `${copies()} messages`
    }, 300)
    return 'killed while three channels had a message and had not answered: once more after half an hour, the webhook with its id'
  },

  heartbeat: async (stage) => {
    const calls = () => stage.hooks.taken.filter(({ kind }) => kind === 'heartbeat').length
    await waitFor(async () => (calls() >= 2 ? null : `${calls()} calls`), 180)
    for (const one of [stage.measuring, stage.server, stage.projector]) await one.kill('SIGKILL')
    const before = calls()
    await sleep(90_000)
    if (calls() > before) throw new Error('It was called while Rampart was dead')
    await stage.server.start()
    await stage.projector.start()
    if (stage.measuring !== stage.server) await stage.measuring.start()
    await waitFor(async () => (calls() > before ? null : 'a call'), 180)
    return 'called each minute, not in 90 s after Rampart was killed, and again afterwards'
  },
}

const cause = (stage: AlertStage, code: ConditionCode) => causes[code].cause(stage)
const mend = (stage: AlertStage, code: ConditionCode) => causes[code].mend(stage)

const reported = (stage: AlertStage, codes: readonly ConditionCode[], ended: boolean) =>
  waitFor(() => isMissing(stage, codes, ended), 15 * 60)

const firing = async (stage: AlertStage) =>
  (await stage.ask<{ condition: string }>('SELECT condition FROM alert')).map(({ condition }) => condition)
