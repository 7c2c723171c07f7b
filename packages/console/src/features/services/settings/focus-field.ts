/** Puts the cursor into a setting, wherever on the page it is. */
import { fieldId } from './settings-context.ts';

const focusable = 'input:not(:disabled), textarea, button, select';

/** True where the field is on the page. A choice of several controls gets the focus at the one that is chosen. */
export const focusField = (path: string): boolean => {
  const element = document.getElementById(fieldId(path));
  if (!element) return false;
  const control = element.matches(focusable)
    ? element
    : (element.querySelector<HTMLElement>('input:checked') ?? element.querySelector<HTMLElement>(focusable));
  element.scrollIntoView({ block: 'center' });
  control?.focus({ preventScroll: true });
  return control !== null;
};

/** An element that is there with the next frame, in the place of the one that had the focus. */
export const focusLater = (id: string): void => {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
};
