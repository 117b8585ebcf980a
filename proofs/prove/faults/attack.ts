import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { compareWithLog } from './compare-with-log.ts'
import type { FaultTest } from './fault-test.ts'
import { type SenderLoad, startSenderLoad } from './load.ts'
import { openTestBed, sleep } from './test-bed.ts'

/** Wrong secrets as fast as they can be sent to one receiver, while another one works. */
export const attack: FaultTest = async ({ short }) => {
  const stage = await openTestBed('attack')
  try {
    const receiver = await stage.addReceiver()
    const attacked = await stage.addReceiver()
    const server = await stage.addServer()
    const load = startSenderLoad({ receiver, ports: () => [server.port] })
    const seconds = short ? 2 : 10
    await sleep(1_000)
    const before = await measure(load, seconds)
    const attackers = startAttack(server.port, attacked.id)
    const during = await measure(load, seconds)
    const refused = await attackers.stop()
    await load.finish()
    if (load.attempts.some(({ status }) => status === 401)) throw new Error('A right secret was refused')
    const books = await compareWithLog(stage, load)
    await sleep(1_000)
    const [counted] = await stage.ask<{ count: string | null }>(
      'SELECT sum(count) AS count FROM refusal WHERE receiver_id = $1',
      [attacked.id],
    )
    if (Number(counted?.count) < refused)
      throw new Error(`${refused} were refused and ${counted?.count} counted`)
    const ratio = { rate: during.perSecond / before.perSecond, p99: during.p99 / before.p99 }
    // With the machine to itself: the short ones run beside each other.
    if (!short && ratio.rate < 0.5) throw new Error(`The others were slowed to ${ratio.rate.toFixed(2)}`)
    return (
      `${Math.round(refused / seconds)} wrong secrets/s; the others ${Math.round(before.perSecond)}/s before and ` +
      `${Math.round(during.perSecond)}/s during (ratio ${ratio.rate.toFixed(2)}), p99 ${before.p99.toFixed(1)} ms ` +
      `and ${during.p99.toFixed(1)} ms (ratio ${ratio.p99.toFixed(1)}): ${books}`
    )
  } finally {
    await stage.close()
  }
}

async function measure(load: SenderLoad, seconds: number) {
  const from = load.attempts.length
  await sleep(seconds * 1_000)
  const took = load.attempts
    .slice(from)
    .map((attempt) => attempt.took)
    .toSorted((a, b) => a - b)
  return { perSecond: took.length / seconds, p99: took[Math.floor(took.length * 0.99)] ?? 0 }
}

/** From a process of its own, so that it takes nothing from the one that measures. */
function startAttack(port: number, receiverId: string) {
  const attacker = fork(path.join(import.meta.dirname, 'attacker.ts'), [String(port), receiverId])
  return {
    async stop(): Promise<number> {
      const said = once(attacker, 'message')
      attacker.send('stop')
      const [{ refused, others }] = await said
      if (others > 0) throw new Error(`${others} wrong secrets were not answered 401`)
      return refused
    },
  }
}
