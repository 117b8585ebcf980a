import fc from 'fast-check'
import { letTimePass } from './compare.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  sendEvent,
} from './endpoint-steps.ts'
import { step } from './step.ts'
import {
  callWithWrongKey,
  createUser,
  exchangeCodes,
  readUser,
  shareToken,
  signInAgain,
  signInWithWallet,
  triggerCode,
} from './user-steps.ts'

/** Seconds, minutes, hours, or longer than the whole ladder takes. */
const waitAWhile = step(
  'let time pass',
  fc.record({
    seconds: fc.oneof(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 30, max: 120 }),
      fc.integer({ min: 300, max: 1_000 }),
      fc.integer({ min: 3_000, max: 6_000 }),
      fc.integer({ min: 10_000, max: 50_000 }),
      fc.integer({ min: 67_200, max: 80_000 }),
    ),
  }),
  (model, world, { seconds }) => letTimePass(model, world, seconds),
)

const signingIn = [
  createUser,
  triggerCode,
  triggerCode,
  exchangeCodes,
  exchangeCodes,
  signInWithWallet,
  signInWithWallet,
  signInAgain,
  readUser,
  readUser,
  shareToken,
  waitAWhile,
  waitAWhile,
]

const delivering = [
  createEndpoint,
  createEndpoint,
  listEndpoints,
  getEndpoint,
  changeEndpoint,
  changeEndpoint,
  rotateSecret,
  deleteEndpoint,
  sendEvent,
  sendEvent,
  sendEvent,
  sendEvent,
  waitAWhile,
  waitAWhile,
  waitAWhile,
  waitAWhile,
]

const upTo40 = { maxCommands: 40, size: 'max' } as const

/** Anything in any order; or only of one kind, so that more comes together. */
export const sequences = fc.oneof(
  fc.commands([...signingIn, ...delivering, callWithWrongKey], upTo40),
  fc.commands(signingIn, upTo40),
  fc.commands(delivering, upTo40),
)
