import fc from 'fast-check'
import { letTimePass } from './compare.ts'
import {
  changeEndpointStep,
  createEndpointStep,
  deleteEndpointStep,
  getEndpointStep,
  listEndpointsStep,
  rotateSecretStep,
  sendEventStep,
} from './endpoint-steps.ts'
import { modelStep } from './step.ts'
import {
  callWithWrongKeyStep,
  createUserStep,
  exchangeCodesStep,
  readUserStep,
  shareTokenStep,
  signInAgainStep,
  signInWithWalletStep,
  triggerCodeStep,
} from './user-steps.ts'

/** Seconds, minutes, hours, or longer than the retry schedule. */
const waitStep = modelStep(
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
  createUserStep,
  triggerCodeStep,
  triggerCodeStep,
  exchangeCodesStep,
  exchangeCodesStep,
  signInWithWalletStep,
  signInWithWalletStep,
  signInAgainStep,
  readUserStep,
  readUserStep,
  shareTokenStep,
  waitStep,
  waitStep,
]

const delivering = [
  createEndpointStep,
  createEndpointStep,
  listEndpointsStep,
  getEndpointStep,
  changeEndpointStep,
  changeEndpointStep,
  rotateSecretStep,
  deleteEndpointStep,
  sendEventStep,
  sendEventStep,
  sendEventStep,
  sendEventStep,
  waitStep,
  waitStep,
  waitStep,
  waitStep,
]

const upTo40 = { maxCommands: 40, size: 'max' } as const

/** Anything in any order; or only of one kind, so that more comes together. */
export const sequences = fc.oneof(
  fc.commands([...signingIn, ...delivering, callWithWrongKeyStep], upTo40),
  fc.commands(signingIn, upTo40),
  fc.commands(delivering, upTo40),
)
