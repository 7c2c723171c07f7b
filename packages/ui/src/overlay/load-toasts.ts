// Loads the toast component with the first message. Separate from `toast`, which the component imports.
import { popupLoader } from './popup-loader.ts';

export const loadToasts = popupLoader(() => import('./Toasts.tsx'));
