/** Browsers keep pages from their storage in these ways. */
export const brokenStorages: readonly (readonly [how: string, storage: Partial<Storage> | null])[] = [
  ['is full', throwing(new DOMException('full', 'QuotaExceededError'))],
  // Firefox throws an error that is no DOMException.
  ['is damaged', throwing(Object.assign(new Error(), { name: 'NS_ERROR_FILE_CORRUPTED' }))],
  ['is null', null],
]

function throwing(error: Error): Partial<Storage> {
  const refuse = () => {
    throw error
  }
  return {
    get length() {
      return refuse()
    },
    getItem: refuse,
    setItem: refuse,
    removeItem: refuse,
  }
}
