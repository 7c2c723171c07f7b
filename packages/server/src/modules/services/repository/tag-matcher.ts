/**
 * Matches image tags against a service's pattern as a whole. RE2, since the pattern is a user's and runs on every push: it takes time
 * linear in the tag, where JavaScript's own engine can be kept busy for hours.
 */
import { RE2JS } from 're2js';
import { Problem } from '#kernel/problem.ts';

/**
 * Steps of the compiled pattern, all of which may be taken for each character of each tag: a pattern of 500 characters can have 70,000,
 * and take three seconds for one tag. Those that people write have some tens.
 */
const MAX_STEPS = 600;

/** Throws NotARegularExpression at `field`; look-around and back references are none, since RE2 has not got them. */
export const tagMatcher = (pattern: string, field: string): ((tag: string) => boolean) => {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MAX_STEPS) throw new Error(`The pattern has ${compiled.programSize()} steps`);
    return (tag) => compiled.matches(tag);
  } catch (cause) {
    throw new Problem('NotARegularExpression', { field, cause, context: { label: 'Tag pattern' } });
  }
};
