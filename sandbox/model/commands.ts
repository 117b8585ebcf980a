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
  exchangeCode,
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

const often = [sendEvent, waitAWhile]

const sometimes = [
  createUser,
  triggerCode,
  exchangeCode,
  signInWithWallet,
  readUser,
  createEndpoint,
  changeEndpoint,
]

const seldom = [
  signInAgain,
  shareToken,
  callWithWrongKey,
  listEndpoints,
  getEndpoint,
  rotateSecret,
  deleteEndpoint,
]

/** Up to 40 commands in any order. */
export const sequences = fc.commands([...often, ...often, ...often, ...sometimes, ...sometimes, ...seldom], {
  maxCommands: 40,
  size: 'max',
})
