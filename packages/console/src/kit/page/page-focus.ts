/** Puts the focus where the page begins, for what takes itself away once it was used. */
import { bodyId } from './PageBody.tsx';

export const focusPage = (): void => document.getElementById(bodyId)?.focus({ preventScroll: true });
