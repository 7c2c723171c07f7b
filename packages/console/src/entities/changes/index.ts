/** What other entities may use of changes. */
export { refresh } from './refresh.ts';
