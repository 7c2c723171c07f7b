import { expect, test } from 'vitest';
import { tagsIn } from './tags-in.ts';

test.each([
  ['', []],
  ['berth', ['berth']],
  [' Berth,  port-call berth,', ['berth', 'port-call']],
])('%j', (text, tags) => expect(tagsIn(text)).toEqual(tags));
