import type { CheckContext, HttpCheckContext } from './check-context.ts'

/**
 * What a check needs beyond the contract itself: the sandbox's control interface, its clock (moving it disturbs every
 * other check, so these run one by one), its mailbox, and a receiver of ours that the service can reach.
 */
export type Need = 'control' | 'clock' | 'mailbox' | 'receiver'

/** The one check of a rule of the contract. It fails by throwing, and stands by itself: own users, own endpoints. */
export type Check = {
  /** A rule's id in `contract.ts`. */
  id: string
  needs: readonly Need[]
} & (
  | { through: 'operations'; run(world: CheckContext): Promise<unknown> }
  | { through: 'http'; run(world: HttpCheckContext): Promise<unknown> }
)

/** A check that can be said in operations: it is run over HTTP and through the dashboard's client. */
export const inOperations = (
  id: string,
  needs: readonly Need[],
  run: (world: CheckContext) => Promise<unknown>,
): Check => ({
  id,
  needs,
  through: 'operations',
  run,
})

/** A check that needs the very bytes and headers: it is run over HTTP alone. */
export const overHttp = (
  id: string,
  needs: readonly Need[],
  run: (world: HttpCheckContext) => Promise<unknown>,
): Check => ({
  id,
  needs,
  through: 'http',
  run,
})
