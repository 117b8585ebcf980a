/** What keeps the focus inside while it is open. A popover does not. */
export const openDialog = 'dialog:modal, [role=dialog]:not([popover]), [role=alertdialog]:not([popover])'

/** How many presses of Tab lead from one stop to another, past the last of them where need be; -1 stands before the first. */
export const pressesBetween = (from: number, to: number, stops: number): number =>
  to > from ? to - from : stops - from + to
