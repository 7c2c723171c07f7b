/** Patterns of property names, in time linear in the name: RE2, since both are strangers'. */
import { RE2JS } from 're2js';

/** Steps of a compiled pattern, all of which may be taken for each character. */
const maxSteps = 600;
const kept = new Map<string, ((name: string) => boolean) | undefined>();

/** Undefined for a pattern that RE2 does not know, such as one with look-ahead, or that is too large: then it is compared as a text alone. */
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
