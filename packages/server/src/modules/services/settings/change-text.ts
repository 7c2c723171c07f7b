/** The value of a changed setting as text for people. */
import { masked } from './settings.ts';

/** Null if the setting is absent. Masks values that look like secrets. */
export const changeText = (path: string, value: unknown, unit: string | null): string | null => {
  if (value === null || value === undefined) return null;
  const text = masked(path, value);
  return `${typeof text === 'string' ? text : JSON.stringify(text)}${unit === null ? '' : ` ${unit}`}`;
};
