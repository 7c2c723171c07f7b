/** Tells whether a key press is a shortcut, and which one. */
import { isTyping } from '@slipway/ui/form/SearchInput.tsx';

/** Widgets with type-ahead, which handle letters themselves. */
const takesLetters = '[role=combobox], [role=listbox], [role=menu], [role=grid], [role=dialog], [role=alertdialog]';
const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

export const hasOverlay = (): boolean => document.querySelector(overlays) !== null;

export const isPaletteKey = (event: KeyboardEvent): boolean =>
  (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k';

/** On many keyboards brackets need AltGr or Option: only the character counts. */
const hasCommandModifier = (event: KeyboardEvent): boolean =>
  event.metaKey || (event.ctrlKey && !event.getModifierState('AltGraph')) || (event.altKey && /^[a-z]$/i.test(event.key));

/** Returns true for a key without modifiers that was not pressed in an input or a widget. */
export const isSingleKey = (event: KeyboardEvent): boolean => {
  const { target } = event;
  if (event.defaultPrevented || event.isComposing || event.repeat || hasCommandModifier(event) || isTyping(target)) return false;
  return !(target instanceof Element && target.closest(takesLetters)) && !hasOverlay();
};

/** How long G waits for its letter. */
const sequenceMs = 1500;

/** Joins G and the next letter: returns 'g l', or the key alone. */
export const createSequence = (now: () => number = Date.now): ((key: string) => string) => {
  let startedAt = -Infinity;
  return (key) => {
    const isSecond = now() - startedAt < sequenceMs;
    startedAt = !isSecond && key.toLowerCase() === 'g' ? now() : -Infinity;
    return isSecond ? `g ${key.toLowerCase()}` : key;
  };
};
