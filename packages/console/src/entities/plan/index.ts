/** Public interface of the plan entity. */
export { settingLabel } from './setting-labels.ts';
