/** What other entities may use of plans. */
export { settingLabel } from './setting-labels.ts';
