import 'server-only'

/** The given place in a list is none that the list gave out, or belongs to another order. */
export class CursorRefused extends Error {
  constructor() {
    super('This page of the list is not known: its address was cut off or changed, or is of another order')
  }
}
