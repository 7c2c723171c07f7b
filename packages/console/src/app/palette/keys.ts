/** Reading a key press: whether it is a shortcut at all, and which. */
import { isTyping } from '@slipway/ui/form/SearchInput.tsx';

/** Widgets that take letters for themselves, to find an option by its name. */
const takesLetters = '[role=combobox], [role=listbox], [role=menu], [role=grid], [role=dialog], [role=alertdialog]';
const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

export const hasOverlay = (): boolean => document.querySelector(overlays) !== null;

export const isPaletteKey = (event: KeyboardEvent): boolean =>
  (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k';

/** Brackets need AltGr, or Option, on many keyboards: what counts is the character. */
const hasCommandModifier = (event: KeyboardEvent): boolean =>
  event.metaKey || (event.ctrlKey && !event.getModifierState('AltGraph')) || (event.altKey && /^[a-z]$/i.test(event.key));

/** A key that stands for itself, pressed on the page and not into something. */
export const isSingleKey = (event: KeyboardEvent): boolean => {
  const { target } = event;
  if (event.defaultPrevented || event.isComposing || event.repeat || hasCommandModifier(event) || isTyping(target)) return false;
  return !(target instanceof Element && target.closest(takesLetters)) && !hasOverlay();
};

/** How long G waits for its letter. */
const sequenceMs = 1500;

/** Joins G and the letter after it: answers 'g l', or the key alone. */
export const createSequence = (now: () => number = Date.now): ((key: string) => string) => {
  let startedAt = -Infinity;
  return (key) => {
    const isSecond = now() - startedAt < sequenceMs;
    startedAt = !isSecond && key.toLowerCase() === 'g' ? now() : -Infinity;
    return isSecond ? `g ${key.toLowerCase()}` : key;
  };
};
