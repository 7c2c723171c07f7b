/** Reads a flat JSON object of strings, numbers and booleans. */
import { lineError, type Found } from './found.ts';

/** Returns the line where a key first occurs, from 1, for the preview: JSON.parse does not tell it. */
const lineOf = (text: string, key: string): number => {
  const at = text.indexOf(JSON.stringify(key));
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
};

export const readJson = (text: string): Found => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own message would quote the file's content.
    return { entries: [], errors: [lineError(1, 'SecretFileInvalid', { format: 'JSON' })] };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { entries: [], errors: [lineError(1, 'SecretFileInvalid', { format: 'JSON' })] };
  const found: Found = { entries: [], errors: [] };
  for (const [key, value] of Object.entries(parsed)) {
    const line = lineOf(text, key);
    if (typeof value === 'string') found.entries.push({ key, value, line });
    else if (typeof value === 'number' || typeof value === 'boolean') found.entries.push({ key, value: String(value), line });
    else found.errors.push(lineError(line, 'SecretFileNotFlat', { key }));
  }
  return found;
};
