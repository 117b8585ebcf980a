/** Whether a dialog stands over the page. A popover that is closed stands in the page all the same, unseen. */
export const isDialogOpen = (): boolean =>
  [...document.querySelectorAll('dialog[open], [role=dialog], [role=alertdialog]')].some((dialog) =>
    dialog.checkVisibility(),
  )
