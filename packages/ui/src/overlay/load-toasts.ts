// The place of messages, loaded with the first one. Apart from `toast`, which that place imports.
import { popupLoader } from './popup-loader.ts';

export const loadToasts = popupLoader(() => import('./Toasts.tsx'));
