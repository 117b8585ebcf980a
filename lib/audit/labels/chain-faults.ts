/** What is wrong with the audit chain, and where. Positions are counted from 1. */
export type ChainFault =
  /** The entry does not say what it said when it was linked. */
  | { readonly kind: 'entry-changed'; readonly position: bigint; readonly entryId: string }
  /** The entry's reason is gone, and no entry says that it was removed. */
  | { readonly kind: 'reason-removed'; readonly position: bigint; readonly entryId: string }
  /** The link stands, the entry is gone, and it was not to go yet. */
  | { readonly kind: 'entry-deleted'; readonly position: bigint; readonly entryId: string }
  /** The entry says a time that is earlier than one before it by more than a transaction may last, or is yet to come. */
  | { readonly kind: 'time-wrong'; readonly position: bigint; readonly entryId: string; readonly at: string }
  /** The entry was written past the trigger that links it. */
  | { readonly kind: 'entry-not-linked'; readonly entryId: string }
  /** The link is not what its own digest says, or does not follow from the one before. */
  | { readonly kind: 'link-changed'; readonly position: bigint; readonly entryId: string }
  /** Links are missing between two others, or at the beginning. */
  | { readonly kind: 'links-missing'; readonly from: bigint; readonly to: bigint }
  /** A head that was given away at `headAt` names a later position than the last. */
  | { readonly kind: 'end-cut'; readonly from: bigint; readonly to: bigint; readonly headAt: string }
  /** A head that was given away names another digest at this position: the chain was written anew. */
  | { readonly kind: 'head-differs'; readonly position: bigint; readonly headAt: string }

/** A backup that was restored, as an entry says: what was given away of the entries after it explains itself. */
export interface ChainRestore {
  /** The position of the entry that says so. */
  readonly position: bigint
  /** When that was written, ISO 8601. */
  readonly at: string
  /** The last position that the backup had. */
  readonly kept: bigint
  /** How many heads name entries after it that are not here, and the last position among them; null for none. */
  readonly heads: number
  readonly latest: bigint | null
}

/** One sentence: what is wrong with the audit chain, and where. */
export function chainFaultText(fault: ChainFault): string {
  switch (fault.kind) {
    case 'entry-changed':
      return `Entry ${fault.entryId} at position ${fault.position} was changed after it was written.`
    case 'reason-removed':
      return `The reason of entry ${fault.entryId} at position ${fault.position} was removed past the application.`
    case 'entry-deleted':
      return `Entry ${fault.entryId} at position ${fault.position} was deleted.`
    case 'time-wrong':
      return `Entry ${fault.entryId} at position ${fault.position} says ${fault.at}, when it cannot have been written.`
    case 'entry-not-linked':
      return `Entry ${fault.entryId} has no place in the chain: it was put in past the application.`
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

/** One sentence: which entries a restored backup does not have. */
export function restoreText({ position, at, kept, heads, latest }: ChainRestore): string {
  const said = `A backup was restored, as the entry at position ${position} says:`
  if (latest === null)
    return `${said} what was written after position ${kept}, in the database that is gone, is not here.`
  const named = heads === 1 ? 'one head names' : `${heads} heads name`
  return `${said} ${named} entries after position ${kept}, up to position ${latest}, that were written before ${at} and are not here.`
}

const span = (word: string, from: bigint, to: bigint) =>
  from === to ? `${word} ${from} is` : `${word}s ${from} to ${to} are`
