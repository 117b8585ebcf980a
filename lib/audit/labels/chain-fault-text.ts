import type { ChainFault, ChainRestore } from '../rules/chain-fault.ts'

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
