/** Moves the focus to the start of the page, for elements that remove themselves after use. */
import { bodyId } from './PageBody.tsx';

export const focusPage = (): void => document.getElementById(bodyId)?.focus({ preventScroll: true });
