/** Focuses a setting anywhere on the page. */
import { fieldId } from './settings-context.ts';

const focusable = 'input:not(:disabled), textarea, button, select';

/** Returns true if the field is on the page. In a group of controls, focuses the selected one. */
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

/** Focuses an element that replaces the focused one and exists from the next frame. */
export const focusLater = (id: string): void => {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
};
