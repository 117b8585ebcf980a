export const keysId = 'keys'

/** Shows the list of keys. */
export const openKeys = () => document.querySelector<HTMLDialogElement>(`#${keysId}`)?.showModal()
