import 'server-only'
import os from 'node:os'
import { noting } from '#lib/platform/log/noting.ts'
import { logOf } from '#lib/platform/log.ts'

/** By how much the niceness grows: among programs that all want the processor this one gets a third of its share. */
const niceness = 5

/** Lets everything else on this machine run before this process, answers to deliveries above all. Decision 0096. */
export function giveWay(): void {
  try {
    os.setPriority(Math.min(os.getPriority() + niceness, os.constants.priority.PRIORITY_LOW))
  } catch (error) {
    noting(logOf('projector'))('debug', 'The priority of this process could not be lowered')(error)
  }
}
