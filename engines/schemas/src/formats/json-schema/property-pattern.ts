/** Patterns of property names. Uses RE2 for linear time, since users control both the pattern and the name. */
import { RE2JS } from 're2js';

/** Instructions of a compiled pattern, all of which may run for each character. */
const maxSteps = 600;
const kept = new Map<string, ((name: string) => boolean) | undefined>();

/**
 * Returns undefined for a pattern that RE2 does not support, such as look-ahead, or that is too large. Such patterns are only compared as
 * text.
 */
export const propertyPattern = (pattern: string): ((name: string) => boolean) | undefined => {
  if (kept.has(pattern)) return kept.get(pattern);
  const matcher = compiled(pattern);
  if (kept.size >= 500) kept.clear();
  kept.set(pattern, matcher);
  return matcher;
};

const compiled = (pattern: string): ((name: string) => boolean) | undefined => {
  if (pattern.length > 1000) return undefined;
  try {
    const regex = RE2JS.compile(pattern);
    if (regex.programSize() > maxSteps) return undefined;
    return (name) => name.length <= 1000 && regex.matcher(name).find();
  } catch {
    return undefined;
  }
};
