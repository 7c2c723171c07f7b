/** Setting values as text; unknown values stay unchanged. */
import { expect, test } from 'vitest';
import { settingText } from './setting-text.ts';

test.each([
  ['spec.retentionHours', '48', '2 days'],
  ['spec.isSharable', 'false', 'Own team only'],
  ['spec.cleanupPolicy', 'COMPACT', 'Keep the newest of each key'],
  ['spec.cleanupPolicy', 'LATER', 'LATER'],
  ['compatibility', 'FULL_TRANSITIVE', 'Full, every version'],
  ['content', '{"a":1}', '{\n  "a": 1\n}'],
  ['content', 'message A {}', 'message A {}'],
  ['description', 'A berth', 'A berth'],
])('%s %s is %s', (field, text, words) => expect(settingText(field, text)).toBe(words));
