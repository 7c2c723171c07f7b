/** Public interface of the changes entity. */
export { refresh } from './refresh.ts';
