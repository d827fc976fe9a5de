/** Texts that are scrolled can be reached, and scrolled, with the keyboard alone. */

/** Attributes of a scrolled element, named for those who do not see it. */
export interface Scrolling {
  readonly tabIndex: 0;
  readonly role: 'region';
  readonly 'aria-label': string;
}

/** Makes an element a named region that takes the focus. */
export function scrolling(label: string): Scrolling {
  return { tabIndex: 0, role: 'region', 'aria-label': label };
}
