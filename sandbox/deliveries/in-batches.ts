/** Each item awaits the same promise and gets its error. */
const leaveToItems = () => undefined

/**
 * Lets many share one write: what comes while a batch is being written gathers into the next. Each item's promise
 * settles with its batch.
 */
export function inBatches<Item>(write: (items: readonly Item[]) => Promise<void>) {
  let last: Promise<unknown> = Promise.resolve()
  let next: { items: Item[]; written: Promise<void> } | undefined

  function gather() {
    const items: Item[] = []
    const written = last.then(() => {
      next = undefined
      return write(items)
    })
    last = written.catch(leaveToItems)
    return { items, written }
  }

  return (item: Item): Promise<void> => {
    next ??= gather()
    next.items.push(item)
    return next.written
  }
}
