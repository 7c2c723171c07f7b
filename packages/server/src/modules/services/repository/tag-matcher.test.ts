/** Users write the patterns, and every tag is matched against them. No pattern may keep the server busy. */
import { expect, test } from 'vitest';
import { tagMatcher } from './tag-matcher.ts';

test.each([
  [String.raw`v\d+\.\d+\.\d+(-rc\.\d+)?`, ['v1.2.3', 'v1.2.3-rc.1'], ['v1.2', 'xv1.2.3', 'v1.2.3-rc']],
  ['[0-9]{4}.[0-9]{2}.[0-9]{2}-[0-9a-f]{7}', ['2026.11.20-abcdef0'], ['latest']],
])('%s takes the whole tag', (pattern, matching, others) => {
  const isMatch = tagMatcher(pattern, 'pattern');
  expect([...matching, ...others].filter(isMatch)).toEqual(matching);
});

test.each([
  ['a group that is not closed', '(a'],
  ['look-around', '(?=a)a'],
  // Takes three seconds per tag.
  ['steps by the ten thousand', String.raw`(?:\pL?){1000}`.repeat(30)],
])('%s is refused', (_name, pattern) => {
  expect(() => tagMatcher(pattern, 'pattern')).toThrow('Tag pattern is not a valid regular expression');
});
