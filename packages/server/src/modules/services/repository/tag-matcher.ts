/**
 * Matches whole image tags against a service's pattern. Uses RE2, because users write the pattern and it runs on every push: RE2 takes
 * linear time, while JavaScript's engine can be kept busy for hours.
 */
import { RE2JS } from 're2js';
import { Problem } from '#kernel/problem.ts';

/**
 * Maximum size of the compiled program. Each character of a tag may take that many steps: a pattern of 500 characters can compile to 70,000
 * steps and take three seconds per tag. Typical patterns have a few dozen.
 */
const MAX_STEPS = 600;

/** Throws NotARegularExpression at `field`. RE2 supports neither look-around nor back references. */
export const tagMatcher = (pattern: string, field: string): ((tag: string) => boolean) => {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MAX_STEPS) throw new Error(`The pattern has ${compiled.programSize()} steps`);
    return (tag) => compiled.matches(tag);
  } catch (cause) {
    throw new Problem('NotARegularExpression', { field, cause, context: { label: 'Tag pattern' } });
  }
};
