/** What other entities may use of plans. */
export { settingWords } from './setting-words.ts';
