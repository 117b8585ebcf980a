/** A chain fault says what is wrong with the audit chain, and where. Positions count from 1. */
export type ChainFault =
  /** The entry has changed since it was linked. */
  | { readonly kind: 'entry-changed'; readonly position: bigint; readonly entryId: string }
  /** The entry's reason is gone, and no entry says that it was removed. */
  | { readonly kind: 'reason-removed'; readonly position: bigint; readonly entryId: string }
  /** The link exists and the entry is gone before its time. */
  | { readonly kind: 'entry-deleted'; readonly position: bigint; readonly entryId: string }
  /** The entry's time is earlier than a previous one by more than a transaction may last, or lies in the future. */
  | { readonly kind: 'time-wrong'; readonly position: bigint; readonly entryId: string; readonly at: string }
  /** The entry was written past the trigger that links it. */
  | { readonly kind: 'entry-not-linked'; readonly entryId: string }
  /** The link does not match its own digest, or does not follow from the one before. */
  | { readonly kind: 'link-changed'; readonly position: bigint; readonly entryId: string }
  /** Links are missing between two others, or at the beginning. */
  | { readonly kind: 'links-missing'; readonly from: bigint; readonly to: bigint }
  /** A head that was given at `headAt` names a position after the last. */
  | { readonly kind: 'end-cut'; readonly from: bigint; readonly to: bigint; readonly headAt: string }
  /** A head that was given names another digest at this position: the chain was rewritten. */
  | { readonly kind: 'head-differs'; readonly position: bigint; readonly headAt: string }

/** An entry says that a backup was restored: this explains heads of entries after the backup. */
export interface ChainRestore {
  /** The entry that records the restore has this position. */
  readonly position: bigint
  /** The restore was recorded at this time, ISO 8601. */
  readonly at: string
  /** The backup ended at this position. */
  readonly kept: bigint
  /** `heads` counts the heads that name missing entries after the backup; `latest` is the last such position, or null. */
  readonly heads: number
  readonly latest: bigint | null
}

/** One sentence says what is wrong with the audit chain, and where. */
export function chainFaultText(fault: ChainFault): string {
  switch (fault.kind) {
    case 'entry-changed':
      return `Entry ${fault.entryId} at position ${fault.position} was changed after it was written.`
    case 'reason-removed':
      return `The reason of entry ${fault.entryId} at position ${fault.position} was removed outside the application.`
    case 'entry-deleted':
      return `Entry ${fault.entryId} at position ${fault.position} was deleted.`
    case 'time-wrong':
      return `Entry ${fault.entryId} at position ${fault.position} says ${fault.at}, when it cannot have been written.`
    case 'entry-not-linked':
      return `Entry ${fault.entryId} has no place in the chain: it was added outside the application.`
    case 'link-changed':
      return `The link at position ${fault.position}, of entry ${fault.entryId}, was changed or moved.`
    case 'links-missing':
      return `${span('Position', fault.from, fault.to)} missing from the chain.`
    case 'end-cut':
      return `The end was cut off: ${span('position', fault.from, fault.to)} missing, which a head given away at ${fault.headAt} names.`
    case 'head-differs':
      return `The chain was written anew up to position ${fault.position} or before: a head given away at ${fault.headAt} says otherwise.`
  }
}

/** One sentence says which entries a restored backup does not have. */
export function restoreText({ position, at, kept, heads, latest }: ChainRestore): string {
  const said = `A backup was restored, as the entry at position ${position} says:`
  if (latest === null)
    return `${said} what was written after position ${kept}, in the database that is gone, is not here.`
  const named = heads === 1 ? 'one head names' : `${heads} heads name`
  return `${said} ${named} entries after position ${kept}, up to position ${latest}, that were written before ${at} and are not here.`
}

const span = (word: string, from: bigint, to: bigint) =>
  from === to ? `${word} ${from} is` : `${word}s ${from} to ${to} are`
